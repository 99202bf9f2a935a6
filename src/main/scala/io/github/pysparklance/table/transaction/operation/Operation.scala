// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import io.github.pysparklance.table.proto
import io.github.pysparklance.table.manifest.{Fragment, ManifestFile}
import io.github.pysparklance.table.proto.Transaction.OperationCase

/** What a commit does to the table: one of the operations of the format, or something that becomes one when it meets
  * the newest version, such as [[DeleteRows]].
  *
  * Source: the operations of message `Transaction`, transaction.proto.
  */
trait Operation {

  /** The format's name, such as `Append`. */
  def name: String

  /** Begins a commit.
    *
    * @param base the version the operation is based on; none when it creates the table
    */
  private[table] def begin(context: CommitContext, base: Option[ManifestFile]): Rebase
}

/** An operation as a transaction holds it. */
trait PlainOperation extends Operation {

  /** Puts the operation into its message. */
  private[table] def write(b: proto.Transaction.Builder): Unit

  /** Makes the newest manifest the next one. Runs again in every attempt. */
  private[table] def build(m: ManifestBuilder): Unit

  /** Whether the newest version must be one whose numbers and files can be relied on, see [[Repairs]]. */
  private[table] def needsSoundBase: Boolean = true

  private[table] def begin(context: CommitContext, base: Option[ManifestFile]): Rebase =
    Rebase.unchanged(this)
}

object Operation {

  /** Reads the operation of a transaction, whoever wrote it.
    *
    * @throws io.github.pysparklance.core.CorruptFileException when it contradicts itself
    * @throws io.github.pysparklance.core.UnsupportedFeatureException when it has types this release does not know
    */
  private[table] def parse(m: proto.Transaction): PlainOperation = {
    import OperationCase._
    m.getOperationCase match {
      case APPEND => Append.parse(m.getAppend)
      case DELETE => Delete.parse(m.getDelete)
      case OVERWRITE => Overwrite.parse(m.getOverwrite)
      case CREATE_INDEX => CreateIndex.parse(m.getCreateIndex)
      case REWRITE => Rewrite.parse(m.getRewrite)
      case MERGE => Merge.parse(m.getMerge)
      case RESTORE => Restore(m.getRestore.getVersion)
      case RESERVE_FRAGMENTS => ReserveFragments.parse(m.getReserveFragments)
      case UPDATE => Update.parse(m.getUpdate)
      case PROJECT => Project.parse(m.getProject)
      case UPDATE_CONFIG => UpdateConfig.parse(m.getUpdateConfig)
      case DATA_REPLACEMENT => DataReplacement.parse(m.getDataReplacement)
      case UPDATE_MEM_WAL_STATE => UpdateMemWalState.parse(m.getUpdateMemWalState)
      case CLONE => Clone.parse(m.getClone)
      case UPDATE_BASES => UpdateBases.parse(m.getUpdateBases)
      case DATA_OVERLAY => DataOverlay.parse(m.getDataOverlay)
      case OPERATION_NOT_SET => UnknownOperation
    }
  }

  private[transaction] def fragments(
      messages: java.util.List[proto.DataFragment]
  ): IndexedSeq[Fragment] = {
    val out = IndexedSeq.newBuilder[Fragment]
    messages.forEach(m => out += Fragment(m))
    out.result()
  }

  private[transaction] def messages(
      fragments: Iterable[Fragment]
  ): java.lang.Iterable[proto.DataFragment] = {
    val out = new java.util.ArrayList[proto.DataFragment](fragments.size)
    fragments.foreach(f => out.add(f.message))
    out
  }
}
