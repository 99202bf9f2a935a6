// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import io.github.pysparklance.table.manifest.{Fragment, ManifestFile}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.build.{RowIdAssignment, WrittenFields}

/** Adds fragments.
  *
  * Source: message `Append`, transaction.proto.
  *
  * @param fragments without ids, or with reserved ids
  */
final case class Append(fragments: IndexedSeq[Fragment]) extends PlainOperation {
  def name: String = "Append"

  private[table] def write(b: proto.Transaction.Builder): Unit =
    b.setAppend(
      proto.Transaction.Append.newBuilder().addAllFragments(Operation.messages(fragments))
    ): Unit

  override private[table] def begin(context: CommitContext, base: Option[ManifestFile]): Rebase = {
    val written = WrittenFields.of(fragments)
    val dropped = new DroppedFields(written)
    Rebase.unchanged(
      this,
      seen = dropped.over,
      check = latest =>
        base.foreach { b =>
          val reassigned = dropped.reassigned(latest.manifest.schema)
          WrittenFields.check(written, b.manifest.schema, latest, reassigned)
        }
    )
  }

  private[table] def build(m: ManifestBuilder): Unit = {
    m.checkFileVersions(fragments)
    m.fragments = m.fragments ++ RowIdAssignment.allNew(m.numbered(fragments), m.version, m.message)
  }
}

object Append {
  def parse(m: proto.Transaction.Append): Append =
    Append(Operation.fragments(m.getFragmentsList))
}
