// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import io.github.pysparklance.table.manifest.{Fragment, ManifestFile}
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.proto.Transaction.OperationCase

/** The change that a commit makes to a table. It is one of the operations of the format, or is
  * converted to one for the latest version, such as [[DeleteRows]].
  *
  * Source: the operations of message `Transaction`, transaction.proto.
  */
trait Operation {

  /** Name of the operation in the format, such as `Append`. */
  def name: String

  /** Starts a commit.
    *
    * @param base the version the operation is based on; none when it creates the table
    */
  private[table] def begin(context: CommitContext, base: Option[ManifestFile]): Rebase
}

/** An operation in the form stored in a transaction. */
trait PlainOperation extends Operation {

  /** Writes the operation to its message. */
  private[table] def write(b: proto.Transaction.Builder): Unit

  /** Applies the operation to the manifest of the latest version. Called again in every attempt. */
  private[table] def build(m: ManifestBuilder): Unit

  /** Whether the latest version must not need repairs, see [[Repairs]]. */
  private[table] def needsSoundBase: Boolean = true

  private[table] def begin(context: CommitContext, base: Option[ManifestFile]): Rebase =
    Rebase.unchanged(this)
}

object Operation {

  /** Reads the operation of a transaction of any writer.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if it is inconsistent
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if it contains types unknown
    *   to this release
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
