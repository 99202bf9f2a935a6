// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString

import io.github.pysparklance.core.{InvalidRequestException, Schema}
import io.github.pysparklance.file.metadata.FieldMessages
import io.github.pysparklance.table.manifest.{Fragment, SchemaRules}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.build.{KeyRules, RowIdAssignment}

/** Changes the schema together with the files: adds columns, or gives columns new files.
  *
  * Source: message `Merge`, transaction.proto.
  *
  * @param fragments all fragments of the new version: first the fragments of the latest version,
  *   with the same rows, deletion files, and row ids, then new ones
  * @param schema schema of the new version
  * @param preservesNullability whether files written for the previous schema are valid in the new
  *   one: all columns they lack are nullable
  * @param changesRows whether rows are also deleted or moved. If so, fragments may have new
  *   deletion files or be dropped, and new fragments have ids and, with stable row ids, the ids of
  *   the moved rows. The message does not contain it. Other writers treat the operation as any
  *   merge, which conflicts with every change of rows
  */
final case class Merge(
    fragments: IndexedSeq[Fragment],
    schema: Schema,
    preservesNullability: Boolean,
    changesRows: Boolean = false
) extends PlainOperation {
  def name: String = "Merge"

  private[table] def write(b: proto.Transaction.Builder): Unit = {
    val m = proto.Transaction.Merge
      .newBuilder()
      .addAllFragments(Operation.messages(fragments))
      .addAllSchema(FieldMessages.toMessages(schema).asJava)
      .setPreservesNullability(preservesNullability)
    schema.metadata.foreach { case (k, v) =>
      m.putSchemaMetadata(k, ByteString.copyFromUtf8(v))
    }
    b.setMerge(m): Unit
  }

  private[table] def build(m: ManifestBuilder): Unit = {
    SchemaRules.checkNew(schema, Some(m.previous.schema))
    m.checkFileVersions(fragments)
    val before = m.previous.fragments.iterator.map(f => f.id -> f).toMap
    val seen = mutable.Set.empty[Long]
    val (kept, added) = fragments.partition(f => before.contains(f.id) && seen.add(f.id))
    val missing = before.keysIterator.filterNot(seen).reduceOption(_ min _)
    missing.filterNot(_ => changesRows).foreach { id =>
      throw new InvalidRequestException(
        s"a merge must contain all fragments of the table; fragment $id is missing"
      )
    }
    kept.foreach(f => checkKept(before(f.id), f))
    if (!changesRows && added.exists(_.message.getRowIdSequenceCase != Merge.noRowIds))
      throw new InvalidRequestException("new fragments of a merge must not have stable row ids")
    KeyRules.checkPrimaryKey(schema)
    m.setSchema(schema.copy(metadata = m.previous.schema.metadata))
    val rewritten = kept.filter(f => filesDiffer(before(f.id).message, f.message))
    val withVersions =
      if (!m.hasStableRowIds) kept.map(_.message)
      else {
        val ids = rewritten.iterator.map(_.id).toSet
        kept.map { f =>
          if (ids(f.id)) RowIdAssignment.allUpdated(f.message, m.version) else f.message
        }
      }
    val numbered = m.numbered(added)
    m.fragments = withVersions ++ (
      if (changesRows)
        RowIdAssignment.moved(numbered, m.version, m.message, Seq(m.previous.fragments), m.lineage)
      else RowIdAssignment.allNew(numbered, m.version, m.message)
    )
    m.withdrawCoverage(rewritten.map(f => f.id -> Merge.movedFields(before(f.id), f)))
    m.retainIndices()
  }

  private def checkKept(before: Fragment, after: Fragment): Unit = {
    def reject(what: String): Nothing =
      throw new InvalidRequestException(
        s"a merge must not change the $what of fragment ${after.id}"
      )
    if (before.message.getPhysicalRows != after.message.getPhysicalRows) reject("number of rows")
    if (
      before.message.getInlineRowIds != after.message.getInlineRowIds ||
      before.message.getRowIdSequenceCase != after.message.getRowIdSequenceCase
    )
      reject("row ids")
    if (!changesRows && before.message.getDeletionFile != after.message.getDeletionFile)
      reject("deleted rows")
  }

  private def filesDiffer(a: proto.DataFragment, b: proto.DataFragment): Boolean =
    a.getFilesCount != b.getFilesCount || (0 until a.getFilesCount).exists { i =>
      a.getFiles(i).toBuilder.clearFileSizeBytes().build() !=
        b.getFiles(i).toBuilder.clearFileSizeBytes().build()
    }
}

object Merge {
  private val noRowIds = proto.DataFragment.RowIdSequenceCase.ROWIDSEQUENCE_NOT_SET

  /** Returns the fields that are in another file than before, or were in no file before. */
  private[operation] def movedFields(before: Fragment, after: Fragment): Set[Int] = {
    val old = paths(before)
    paths(after).iterator.collect { case (id, path) if !old.get(id).contains(path) => id }.toSet
  }

  private def paths(f: Fragment): Map[Int, String] =
    f.files.iterator.flatMap(file => file.fields.iterator.filter(_ >= 0).map(_ -> file.path)).toMap

  private[transaction] def parse(m: proto.Transaction.Merge): Merge = Merge(
    Operation.fragments(m.getFragmentsList),
    FieldMessages.toSchema(m.getSchemaList.asScala, m.getSchemaMetadataMap.asScala),
    m.getPreservesNullability
  )
}
