// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.time.Instant

import io.github.pysparklance.table.manifest.WriterVersion
import io.github.pysparklance.table.proto.Transaction.OperationCase
import io.github.pysparklance.table.proto.Transaction.OperationCase._

/** The changes in a version.
  *
  * A row with new values counts as one deleted and one added row. A row that a compaction moved
  * counts as neither.
  *
  * @param timestamp time of the commit
  * @param operation name of the operation, such as `Append`; `None` if it is unknown
  * @param readVersion the version that the operation was based on
  * @param properties commit properties
  * @param rowCount number of rows that are not deleted, if they are counted
  * @param numFragments number of fragments
  * @param rowsAdded rows that the previous version did not have; `None` if unknown, usually because
  *   the previous version was removed
  * @param rowsDeleted rows that only the previous version had, if known
  */
final case class VersionInfo(
    version: Long,
    timestamp: Instant,
    operation: Option[String],
    readVersion: Option[Long],
    properties: Map[String, String],
    rowCount: Option[Long],
    numFragments: Int,
    writer: Option[WriterVersion],
    rowsAdded: Option[Long],
    rowsDeleted: Option[Long]
)

private[table] object VersionInfo {

  /** @param earlier the record read before this one, usually the previous version */
  def apply(record: VersionRecord, earlier: Option[VersionRecord]): VersionInfo = {
    val c = record.content
    // A version is readable without its transaction, so it is part of the history anyway.
    val transaction = record.knownTransaction
    val operation = transaction.map(_.operation).filterNot(_ == OPERATION_NOT_SET)
    val previous = earlier.filter(_.content.version == c.version - 1)
    val (added, deleted) = operation match {
      case Some(
            REWRITE | CREATE_INDEX | RESERVE_FRAGMENTS | UPDATE_CONFIG | UPDATE_BASES | CLONE |
            PROJECT | UPDATE_MEM_WAL_STATE | DATA_OVERLAY | DATA_REPLACEMENT
          ) =>
        (Some(0L), Some(0L))
      case _ if previous.isDefined => changes(previous.get.rows, record.rows)
      case Some(APPEND) => (transaction.get.appendedRows, Some(0L))
      case Some(OVERWRITE) =>
        (c.rowCount, if (transaction.get.readVersion == 0) Some(0L) else None)
      case Some(DELETE) => (Some(0L), None)
      case _ => (None, None)
    }
    VersionInfo(
      c.version,
      c.timestamp,
      operation.map(name),
      transaction.map(_.readVersion),
      transaction.fold(Map.empty[String, String])(_.properties),
      c.rowCount,
      c.numFragments,
      c.writer,
      added,
      deleted
    )
  }

  /** Returns the number of rows only in `after`, and the number only in `before`. */
  private def changes(before: FragmentRows, after: FragmentRows): (Option[Long], Option[Long]) =
    if (before.isReliable && after.isReliable) (after.surplus(before), before.surplus(after))
    else (None, None)

  /** Converts `CREATE_INDEX` to `CreateIndex`. */
  private def name(operation: OperationCase): String =
    operation.name.split('_').map(w => w.take(1) + w.drop(1).toLowerCase).mkString
}
