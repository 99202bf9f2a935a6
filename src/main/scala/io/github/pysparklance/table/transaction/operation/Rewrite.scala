// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import java.util.UUID

import scala.jdk.CollectionConverters._

import com.google.protobuf.{Any => AnyMessage, ByteString}

import io.github.pysparklance.core.{
  CommitConflictException,
  CorruptFileException,
  InvalidRequestException,
  UnsupportedFeatureException,
  Wrapped
}
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.proto.Transaction.Rewrite.{
  RewriteGroup => GroupMessage,
  RewrittenIndex => IndexMessage
}

/** Fragments and their replacements. Source: message `Rewrite.RewriteGroup`, transaction.proto.
  *
  * @param oldFragments old fragments in table order, at least one
  * @param newFragments new fragments with reserved ids, and with the row ids and row versions of
  *   their rows
  */
final case class RewriteGroup(
    oldFragments: IndexedSeq[Fragment],
    newFragments: IndexedSeq[Fragment]
)

/** A file of an index. Source: message `IndexFile`, table.proto. */
final case class IndexFile(path: String, sizeBytes: Long)

/** A rebuilt index segment. Source: message `Rewrite.RewrittenIndex`, transaction.proto.
  *
  * @param newDetailsType type URL of the message in `newDetails`
  * @param newFiles empty if unknown
  */
final case class RewrittenIndex(
    oldId: UUID,
    newId: UUID,
    newDetailsType: String,
    newDetails: IndexedSeq[Byte],
    newVersion: Int,
    newFiles: Seq[IndexFile]
)

/** Creates the entry `__lance_frag_reuse` for a rewrite, again in every attempt of its commit. */
trait FragmentReuseRecord {

  /** Returns the new entry.
    *
    * @param present the entry of the latest version, including concurrent additions
    * @param version the latest version
    */
  private[table] def entry(present: Option[IndexSegment], version: Long): IndexSegment
}

/** Replaces fragments without changing their rows.
  *
  * Source: message `Rewrite`, transaction.proto, including its older form.
  *
  * @param rewrittenIndices indices of row addresses, rebuilt for the new fragments
  * @param fragmentReuse creates the new entry `__lance_frag_reuse` if the index remap is deferred.
  *   Not part of the message
  */
final case class Rewrite(
    groups: Seq[RewriteGroup],
    rewrittenIndices: Seq[RewrittenIndex] = Nil,
    fragmentReuse: Option[FragmentReuseRecord] = None
) extends PlainOperation {
  def name: String = "Rewrite"

  private[transaction] def oldIds: Seq[Long] = groups.flatMap(_.oldFragments.map(_.id))

  private[table] def write(b: proto.Transaction.Builder): Unit = {
    val r = proto.Transaction.Rewrite.newBuilder()
    groups.foreach { g =>
      r.addGroups(
        GroupMessage
          .newBuilder()
          .addAllOldFragments(Operation.messages(g.oldFragments))
          .addAllNewFragments(Operation.messages(g.newFragments))
      )
    }
    rewrittenIndices.foreach(i => r.addRewrittenIndices(Rewrite.toMessage(i)))
    b.setRewrite(r): Unit
  }

  private[table] def build(m: ManifestBuilder): Unit = {
    if (m.isTagged)
      throw new UnsupportedFeatureException(
        "rewriting fragments of a table with tagged fragment reuse"
      )
    if (m.hasStableRowIds && fragmentReuse.isDefined)
      throw new UnsupportedFeatureException("a fragment-reuse index with stable row ids")
    m.checkFileVersions(groups.flatMap(_.newFragments))
    val old = oldIds
    if (groups.exists(_.oldFragments.isEmpty) || old.distinct.length != old.length)
      throw new InvalidRequestException("a rewrite group is empty, or a fragment occurs twice")
    val present = m.previous.fragments.iterator.map(_.id).toSet
    old.find(id => !present(id)).foreach { id =>
      throw new CommitConflictException(
        s"not committed: version ${m.previous.version} does not have fragment $id, which the rewrite replaces",
        m.previous.version,
        retryable = true
      )
    }
    if (m.hasStableRowIds)
      groups.flatMap(_.newFragments).find(f => !Rewrite.hasRowIds(f)).foreach { _ =>
        throw new InvalidRequestException("a rewrite must keep the row ids of its rows")
      }
    val replaced = old.toSet
    // Number all groups at once, so that no id is assigned twice.
    val added = m.numbered(groups.flatMap(_.newFragments))
    m.fragments = m.fragments.filterNot(f => replaced(f.getId)) ++ added
    val ids = added.iterator.map(_.getId)
    val moves = groups.map(g => g.oldFragments.map(_.id) -> g.newFragments.map(_ => ids.next()))
    m.indices = m.indices
      .rewritten(rewrittenIndices, moves, follows = m.hasStableRowIds)
    fragmentReuse.foreach { record =>
      val present = m.indices.segments.find(_.isFragmentReuse)
      m.indices = m.indices.replacing(record.entry(present, m.previous.version))
    }
  }
}

object Rewrite {

  /** Commit property of a rewrite that changes the order of rows. Other rewrites keep it. */
  val reordersRows: String = "lance.spark.reordersRows"

  private[transaction] def hasRowIds(f: Fragment): Boolean =
    f.message.getRowIdSequenceCase != proto.DataFragment.RowIdSequenceCase.ROWIDSEQUENCE_NOT_SET

  private def toMessage(i: RewrittenIndex): IndexMessage = {
    val b = IndexMessage
      .newBuilder()
      .setOldId(IndexSegment.toMessage(i.oldId))
      .setNewId(IndexSegment.toMessage(i.newId))
      .setNewIndexDetails(
        AnyMessage
          .newBuilder()
          .setTypeUrl(i.newDetailsType)
          .setValue(ByteString.copyFrom(i.newDetails.toArray))
      )
      .setNewIndexVersion(i.newVersion)
    i.newFiles.foreach(f => b.addNewIndexFilesBuilder().setPath(f.path).setSizeBytes(f.sizeBytes))
    b.build()
  }

  private[transaction] def parse(m: proto.Transaction.Rewrite): Rewrite = {
    val groups = m.getGroupsList.asScala.map { g =>
      RewriteGroup(
        Operation.fragments(g.getOldFragmentsList),
        Operation.fragments(g.getNewFragmentsList)
      )
    }
    val old = Operation.fragments(m.getOldFragmentsList)
    Rewrite(
      if (groups.nonEmpty || old.isEmpty) groups.toIndexedSeq
      else IndexedSeq(RewriteGroup(old, Operation.fragments(m.getNewFragmentsList))),
      m.getRewrittenIndicesList.asScala.iterator.map(parse).toIndexedSeq
    )
  }

  private def parse(m: IndexMessage): RewrittenIndex = {
    CorruptFileException.check(
      m.hasOldId && m.hasNewId,
      "corrupt transaction: rewritten index without ids"
    )
    RewrittenIndex(
      IndexSegment.uuid(m.getOldId),
      IndexSegment.uuid(m.getNewId),
      m.getNewIndexDetails.getTypeUrl,
      Wrapped(
        m.getNewIndexDetails.getValue.toByteArray
      ),
      m.getNewIndexVersion,
      m.getNewIndexFilesList.asScala.iterator.map(f =>
        IndexFile(f.getPath, f.getSizeBytes)
      ).toIndexedSeq
    )
  }
}
