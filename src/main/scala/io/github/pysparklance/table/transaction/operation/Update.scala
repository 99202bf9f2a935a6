// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{CorruptFileException, InvalidRequestException}
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.proto.Transaction.Update.{UpdateMode => Mode}
import io.github.pysparklance.table.transaction.build.{
  KeyExistenceFilter,
  MovedRows,
  RowIdAssignment
}

/** Updates rows by moving them to new fragments, or columns by giving them new files in place. To
  * update rows, most callers should use [[UpdateRows]], which supports concurrent commits.
  *
  * Source: message `Update`, transaction.proto.
  *
  * @param removedFragmentIds ids of fragments without remaining rows
  * @param updatedFragments fragments in their new state, with new deletion files or new data files
  * @param newFragments without ids; with stable row ids, they contain the ids of the moved rows
  * @param fieldsModified ids of the fields with new files, and of their ancestors; for example a
  *   list, and not only its items. Indices on them no longer cover these fragments
  * @param compactedSsTables write-ahead log tables that the rows come from
  * @param fieldsForPreservingFragBitmap ids of the fields whose values changed in the moved rows
  * @param insertedRows the keys of the new rows
  * @param updatedFragmentOffsets offsets of the rows that got new values in place, by fragment id
  * @param movedRows with stable row ids, the moved rows of each of `newFragments` if they are at
  *   any offset; empty if `newFragments` contain the ids. Not part of the message
  */
final case class Update(
    removedFragmentIds: Seq[Long] = Nil,
    updatedFragments: IndexedSeq[Fragment] = IndexedSeq.empty,
    newFragments: IndexedSeq[Fragment] = IndexedSeq.empty,
    fieldsModified: Seq[Int] = Nil,
    compactedSsTables: Seq[CompactedSsTable] = Nil,
    fieldsForPreservingFragBitmap: Seq[Int] = Nil,
    updateMode: UpdateMode = UpdateMode.RewriteRows,
    insertedRows: Option[KeyExistenceFilter] = None,
    updatedFragmentOffsets: Map[Long, RoaringBitmap] = Map.empty,
    movedRows: IndexedSeq[MovedRows] = IndexedSeq.empty
) extends PlainOperation {
  def name: String = "Update"

  /** Whether rows move out of existing fragments. */
  private[transaction] def movesRows: Boolean =
    newFragments.nonEmpty && updateMode != UpdateMode.RewriteColumns

  private[table] def write(b: proto.Transaction.Builder): Unit = {
    val u = proto.Transaction.Update
      .newBuilder()
      .addAllRemovedFragmentIds(removedFragmentIds.map(Long.box).asJava)
      .addAllUpdatedFragments(Operation.messages(updatedFragments))
      .addAllNewFragments(Operation.messages(newFragments))
      .addAllFieldsModified(fieldsModified.map(Int.box).asJava)
      .addAllCompactedSstables(compactedSsTables.map(_.toMessage).asJava)
      .addAllFieldsForPreservingFragBitmap(fieldsForPreservingFragBitmap.map(Int.box).asJava)
      .setUpdateMode(updateMode.message)
    insertedRows.foreach(f => u.setInsertedRows(f.toMessage))
    updatedFragmentOffsets.toSeq.sortBy(_._1).foreach { case (id, offsets) =>
      val bytes = new Array[Byte](offsets.serializedSizeInBytes)
      offsets.serialize(ByteBuffer.wrap(bytes))
      u.putUpdatedFragmentOffsetBitmaps(id, ByteString.copyFrom(bytes))
    }
    b.setUpdate(u): Unit
  }

  private[table] def build(m: ManifestBuilder): Unit = {
    m.checkFileVersions(newFragments ++ updatedFragments)
    val existing = m.previous.fragments
    val updated = updatedFragments.iterator.map(f => f.id -> f.message).toMap
    val removed = removedFragmentIds.toSet
    val touchedIds = updated.keySet ++ removed
    val present = existing.filter(f => touchedIds(f.id))
    (touchedIds -- present.map(_.id)).headOption.foreach { id =>
      throw new InvalidRequestException(s"cannot update fragment $id: the table does not have it")
    }
    m.fragments = m.fragments.filterNot(f => removed(f.getId)).map { f =>
      updated.get(f.getId).fold(f)(u => m.withoutDeadFiles(withOverlaysOf(f, u)))
    }
    if (updateMode == UpdateMode.RewriteColumns && m.hasStableRowIds) stampOffsets(m)
    val added = m.numbered(newFragments).map(m.withoutDeadFiles)
    val mixed = added.map(_.getId).zip(movedRows).filterNot(_._2.isEmpty).toMap
    // Moved rows usually come from the touched fragments, which are searched first.
    val sources = Seq(present, existing)
    val withIds = RowIdAssignment.moved(added, m.version, m.message, sources, m.lineage, mixed)
    m.fragments = m.fragments ++ withIds
    val touched = removedFragmentIds ++ updatedFragments.map(_.id)
    if (fieldsModified.nonEmpty)
      m.withdrawCoverage(updatedFragments.map(f => f.id -> fieldsModified.toSet))
    if (updateMode == UpdateMode.RewriteRows && m.hasStableRowIds)
      m.indices = m.indices.joined(
        RowIdAssignment.onlyMoved(added),
        touched,
        m.relatedFields(fieldsForPreservingFragBitmap)
      )
    m.retainIndices()
    if (compactedSsTables.nonEmpty) m.compacted(compactedSsTables)
  }

  private def withOverlaysOf(now: proto.DataFragment, updated: proto.DataFragment) =
    if (now.getOverlaysCount == 0 && updated.getOverlaysCount == 0) updated
    else updated.toBuilder.clearOverlays().addAllOverlays(now.getOverlaysList).build()

  private def stampOffsets(m: ManifestBuilder): Unit = {
    val rewritten = updatedFragments.iterator.map(_.id).toSet
    m.fragments = m.fragments.map { f =>
      updatedFragmentOffsets.get(f.getId).filter(_ => rewritten(f.getId)).fold(f) { offsets =>
        if (offsets.isEmpty) f else RowIdAssignment.stamped(f, offsets, m.version, m.lineage)
      }
    }
  }
}

/** Whether an update moves rows or replaces columns. Source: `Update.UpdateMode`. */
sealed abstract class UpdateMode(private[transaction] val message: Mode) extends Serializable

object UpdateMode {

  /** Updated rows move to new fragments. */
  case object RewriteRows extends UpdateMode(Mode.REWRITE_ROWS)

  /** Updated columns get new files in place. */
  case object RewriteColumns extends UpdateMode(Mode.REWRITE_COLUMNS)
}

object Update {
  private[transaction] def parse(m: proto.Transaction.Update): Update = Update(
    longs(m.getRemovedFragmentIdsList),
    Operation.fragments(m.getUpdatedFragmentsList),
    Operation.fragments(m.getNewFragmentsList),
    ints(m.getFieldsModifiedList),
    m.getCompactedSstablesList.asScala.iterator.map(CompactedSsTable.parse).toIndexedSeq,
    ints(m.getFieldsForPreservingFragBitmapList),
    if (m.getUpdateMode == Mode.REWRITE_COLUMNS) UpdateMode.RewriteColumns
    else UpdateMode.RewriteRows,
    if (m.hasInsertedRows) Some(KeyExistenceFilter.parse(m.getInsertedRows)) else None,
    offsets(m)
  )

  /** Reads row offsets. The older form is a list of numbers per fragment. */
  private def offsets(m: proto.Transaction.Update): Map[Long, RoaringBitmap] =
    if (m.getUpdatedFragmentOffsetBitmapsCount > 0)
      m.getUpdatedFragmentOffsetBitmapsMap.asScala.iterator
        .filterNot(_._2.isEmpty)
        .map { case (id, bytes) => id.toLong -> bitmap(bytes) }
        .toMap
    else
      m.getUpdatedFragmentOffsetsMap.asScala.iterator
        .filterNot(_._2.getValuesCount == 0)
        .map { case (id, list) =>
          id.toLong -> RoaringBitmap.bitmapOf(ints(list.getValuesList): _*)
        }
        .toMap

  private def bitmap(bytes: ByteString): RoaringBitmap = {
    val b = new RoaringBitmap
    try b.deserialize(ByteBuffer.wrap(bytes.toByteArray))
    catch {
      case e @ (_: java.io.IOException | _: RuntimeException) =>
        throw new CorruptFileException(
          "corrupt transaction: invalid row offsets of an update",
          cause = e
        )
    }
    b
  }

  private def ints(list: java.util.List[Integer]): IndexedSeq[Int] =
    list.asScala.iterator.map(_.toInt).toIndexedSeq

  private def longs(list: java.util.List[java.lang.Long]): IndexedSeq[Long] =
    list.asScala.iterator.map(_.toLong).toIndexedSeq
}
