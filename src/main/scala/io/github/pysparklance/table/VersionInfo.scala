// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.time.Instant

import io.github.pysparklance.table.manifest.WriterVersion
import io.github.pysparklance.table.proto.Transaction.OperationCase
import io.github.pysparklance.table.proto.Transaction.OperationCase._

/** What happened in a version.
  *
  * A row with new values counts as one deleted and one added, a row that a compaction moved as neither.
  *
  * @param timestamp time of the commit
  * @param operation name of the operation that made it, such as `Append`; none when it is not known
  * @param readVersion the version the operation was based on
  * @param properties the user's notes on the commit
  * @param rowCount rows that are not deleted, where they are counted
  * @param numFragments number of fragments
  * @param rowsAdded rows that the version before did not have; none when that is not known, most of all because the
  *   version before was cleaned up
  * @param rowsDeleted rows that only the version before had, as far as that is known
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

  /** @param earlier the version that was read before it */
  def apply(record: VersionRecord, earlier: Option[VersionRecord]): VersionInfo = {
    val c = record.content
    // A version is readable without its transaction, so it is part of the history all the same.
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

  /** Rows in `after` only, and in `before` only. */
  private def changes(before: FragmentRows, after: FragmentRows): (Option[Long], Option[Long]) =
    if (before.isReliable && after.isReliable) (after.surplus(before), before.surplus(after))
    else (None, None)

  /** `CREATE_INDEX` is `CreateIndex`. */
  private def name(operation: OperationCase): String =
    operation.name.split('_').map(w => w.take(1) + w.drop(1).toLowerCase).mkString
}
