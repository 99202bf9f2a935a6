// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import java.lang.Long.compareUnsigned

import com.google.protobuf.ByteString
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Checked, InvalidRequestException, UnsupportedFeatureException}
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{FeatureFlags, Fragment}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.rowid.{
  LineageReader,
  RowDatasetVersionSequence,
  RowIdSequence,
  RowLineage
}

/** Assigns stable row ids and row versions to new fragments, in tables with stable row ids.
  * Fragments of other tables are returned unchanged.
  *
  * Source: format page of the table, "Who assigns what".
  */
private[transaction] object RowIdAssignment {

  /** Assigns ids and versions to fragments that contain only new rows.
    *
    * @param m the manifest being built, whose `next_row_id` is raised
    */
  def allNew(
      added: Seq[proto.DataFragment],
      version: Long,
      m: proto.Manifest.Builder
  ): Seq[proto.DataFragment] = whenStable(added, m) { f =>
    if (f.getRowIdSequenceCase != unset)
      throw new InvalidRequestException("new rows must not have stable row ids")
    val versions = ByteString.copyFrom(uniform(f, version))
    withIds(f, RowIdSequence.empty, m)
      .setInlineCreatedAtVersions(versions)
      .setInlineLastUpdatedAtVersions(versions)
      .build()
  }

  /** Assigns ids and versions to fragments that begin with moved rows, whose ids are known,
    * followed by new rows.
    *
    * @param existing sets of fragments that may have contained the moved rows before. Each is
    *   searched for the rows that the sets before it do not contain
    * @param mixed fragments of `added` with moved rows at any offset, by id
    */
  def moved(
      added: Seq[proto.DataFragment],
      version: Long,
      m: proto.Manifest.Builder,
      existing: Seq[Seq[Fragment]],
      lineage: LineageReader,
      mixed: Map[Long, MovedRows] = Map.empty
  ): Seq[proto.DataFragment] = {
    lazy val ids = (added.flatMap(f => idsOf(f).toArray) ++ mixed.values.flatMap(_.ids)).distinct
      .sortWith(compareUnsigned(_, _) < 0)
    lazy val created = createdAt(ids.toArray, existing, lineage)
    whenStable(added, m) { f =>
      mixed.get(f.getId).fold(movedFirst(f, version, m, created))(
        movedAnywhere(f, version, m, created, _)
      )
    }
  }

  private def movedFirst(
      f: proto.DataFragment,
      version: Long,
      m: proto.Manifest.Builder,
      created: => Map[Long, Long]
  ): proto.DataFragment = {
    val known = idsOf(f)
    val versions = known.toArray.map(id => created.getOrElse(id, version)) ++
      Array.fill(Checked.int(f.getPhysicalRows - known.numRows, "rows of a fragment"))(version)
    withIds(f, known, m)
      .setInlineCreatedAtVersions(
        ByteString.copyFrom(RowDatasetVersionSequence.of(versions).toBytes)
      )
      .setInlineLastUpdatedAtVersions(ByteString.copyFrom(uniform(f, version)))
      .build()
  }

  private def movedAnywhere(
      f: proto.DataFragment,
      version: Long,
      m: proto.Manifest.Builder,
      created: => Map[Long, Long],
      rows: MovedRows
  ): proto.DataFragment = {
    if (f.getRowIdSequenceCase != unset)
      throw new InvalidRequestException("a new fragment has its stable row ids twice")
    val numRows = Checked.int(f.getPhysicalRows, "rows of a fragment")
    val ids = rows.idsOfAll(numRows, m.getNextRowId)
    m.setNextRowId(
      Checked.add(m.getNextRowId, numRows.toLong - rows.ids.length, "the next row id")
    )
    val isMoved = rows.ids.toSet
    val versions = ids.map(id => if (isMoved(id)) created.getOrElse(id, version) else version)
    f.toBuilder
      .setInlineRowIds(ByteString.copyFrom(RowIdSequence.of(ids).toBytes))
      .setInlineCreatedAtVersions(ByteString.copyFrom(
        RowDatasetVersionSequence.of(versions).toBytes
      ))
      .setInlineLastUpdatedAtVersions(ByteString.copyFrom(uniform(f, version)))
      .build()
  }

  /** Returns a fragment whose rows all have new values in some column, with updated row versions.
    */
  def allUpdated(f: proto.DataFragment, version: Long): proto.DataFragment =
    if (f.getPhysicalRows == 0) f
    else
      f.toBuilder.setInlineLastUpdatedAtVersions(ByteString.copyFrom(uniform(f, version))).build()

  /** Returns a fragment in which some rows have new values in some column, with updated row
    * versions. Without recorded row versions, the fragment stays unchanged.
    *
    * @param offsets offsets of the changed rows
    */
  def stamped(
      f: proto.DataFragment,
      offsets: RoaringBitmap,
      version: Long,
      lineage: LineageReader
  ): proto.DataFragment = {
    if ((offsets.last & 0xffffffffL) >= f.getPhysicalRows)
      throw new InvalidRequestException(
        s"cannot update row ${offsets.last & 0xffffffffL} of fragment ${f.getId}: it has ${f.getPhysicalRows} rows"
      )
    lineage.lastUpdatedAt(Fragment(f)).fold(f) { before =>
      val changed = DeletionVector.of(offsets).rows.ranges
      f.toBuilder
        .setInlineLastUpdatedAtVersions(
          ByteString.copyFrom(before.updated(changed, version).toBytes)
        )
        .build()
    }
  }

  /** Returns the ids of the fragments that contain only moved rows. */
  def onlyMoved(added: Seq[proto.DataFragment]): Seq[Long] =
    added.filter(f => f.hasInlineRowIds && idsOf(f).numRows == f.getPhysicalRows).map(_.getId)

  private val unset = proto.DataFragment.RowIdSequenceCase.ROWIDSEQUENCE_NOT_SET

  private def whenStable(added: Seq[proto.DataFragment], m: proto.Manifest.Builder)(
      assign: proto.DataFragment => proto.DataFragment
  ): Seq[proto.DataFragment] =
    if ((m.getReaderFeatureFlags & FeatureFlags.stableRowIds) != 0) added.map(assign)
    else {
      if (added.exists(_.getRowIdSequenceCase != unset))
        throw new InvalidRequestException("the table does not have stable row ids")
      added
    }

  private def uniform(f: proto.DataFragment, version: Long): Array[Byte] =
    RowDatasetVersionSequence.uniform(version, f.getPhysicalRows).toBytes

  private def withIds(
      f: proto.DataFragment,
      known: RowIdSequence,
      m: proto.Manifest.Builder
  ): proto.DataFragment.Builder = {
    val missing = f.getPhysicalRows - known.numRows
    if (missing < 0)
      throw new InvalidRequestException(s"${known.numRows} row ids for ${f.getPhysicalRows} rows")
    val next = m.getNextRowId
    m.setNextRowId(Checked.add(next, missing, "the next row id"))
    f.toBuilder.setInlineRowIds(ByteString.copyFrom(known.appended(next, missing).toBytes))
  }

  private def idsOf(f: proto.DataFragment): RowIdSequence =
    RowLineage.rowIds(Fragment(f), complete = false) match {
      case RowLineage.Inline(ids) => ids
      case RowLineage.Absent => RowIdSequence.empty
      case _: RowLineage.Stored =>
        throw new UnsupportedFeatureException("writing row ids into columns of data files")
    }

  /** Returns the version that created each row, or 1 if it was not recorded. Unknown ids have no
    * entry. If several fragments contain an id, the fragment with the lowest id counts.
    */
  private def createdAt(
      ids: Array[Long],
      existing: Seq[Seq[Fragment]],
      lineage: LineageReader
  ): Map[Long, Long] = {
    val found = scala.collection.mutable.LongMap.empty[Long]
    existing.iterator.takeWhile(_ => found.size < ids.length).foreach { fragments =>
      fragments.sortBy(_.id).foreach { f =>
        lazy val versions = lineage.createdAt(f)
        lineage.rowIds(f).foreach(_.locate(
          ids,
          (i, offset) =>
            if (!found.contains(ids(i))) found(ids(i)) = versions.fold(1L)(_(offset))
        ))
      }
    }
    found.toMap
  }
}
