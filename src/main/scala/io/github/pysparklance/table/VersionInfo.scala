// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table

import java.time.Instant

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{CorruptFileException, Log, NotFoundException}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.manifest.{Manifest, ManifestFile, WriterVersion}
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

private object VersionInfo {
  private val log = Log(classOf[VersionInfo])

  /** The versions of a table or branch, one after the other. */
  def all(root: TablePath, files: Iterator[ManifestFile]): Iterator[VersionInfo] = {
    var previous = Option.empty[ManifestFile]
    files.map { file =>
      val info = apply(root, file, previous)
      previous = Some(file)
      info
    }
  }

  /** @param root of the table or branch
    * @param earlier the version that was read before it
    */
  def apply(root: TablePath, file: ManifestFile, earlier: Option[ManifestFile]): VersionInfo = {
    val m = file.manifest
    // A version is readable without its transaction, so it is part of the history all the same.
    val transaction =
      try file.transaction(root)
      catch {
        case e @ (_: CorruptFileException | _: NotFoundException) =>
          log.debug(s"${root.root}: version ${m.version} without its transaction", e)
          None
      }
    val operation = transaction.map(_.getOperationCase).filterNot(_ == OPERATION_NOT_SET)
    val previous = earlier.map(_.manifest).filter(_.version == m.version - 1)
    val (added, deleted) = operation match {
      case Some(
            REWRITE | CREATE_INDEX | RESERVE_FRAGMENTS | UPDATE_CONFIG | UPDATE_BASES | CLONE |
            PROJECT | UPDATE_MEM_WAL_STATE | DATA_OVERLAY | DATA_REPLACEMENT
          ) =>
        (Some(0L), Some(0L))
      case _ if previous.isDefined => changes(previous.get, m)
      case Some(APPEND) =>
        (rows(transaction.get.getAppend.getFragmentsList.asScala.map(_.getPhysicalRows)), Some(0L))
      case Some(OVERWRITE) =>
        (m.rowCount, if (transaction.get.getReadVersion == 0) Some(0L) else None)
      case Some(DELETE) => (Some(0L), None)
      case _ => (None, None)
    }
    VersionInfo(
      m.version,
      m.timestamp,
      operation.map(name),
      transaction.map(_.getReadVersion),
      transaction.fold(Map.empty[String, String])(_.getTransactionPropertiesMap.asScala.toMap),
      m.rowCount,
      m.fragments.length,
      m.writerVersion,
      added,
      deleted
    )
  }

  /** Rows in `after` only, and in `before` only. A fragment id stands for the same rows in all versions, of which
    * more and more are deleted, until an earlier version is restored.
    */
  private def changes(before: Manifest, after: Manifest): (Option[Long], Option[Long]) = {
    val was = before.fragments.map(f => f.id -> f.liveRows).toMap
    val is = after.fragments.map(f => f.id -> f.liveRows).toMap
    def surplus(of: Map[Long, Option[Long]], over: Map[Long, Option[Long]]): Option[Long] =
      of.foldLeft(Option(0L)) { case (sum, (id, live)) =>
        for (s <- sum; here <- live; there <- over.getOrElse(id, Some(0L)))
          yield Math.addExact(s, math.max(0L, here - there))
      }
    if (before.hasReliableCounts && after.hasReliableCounts) (surplus(is, was), surplus(was, is))
    else (None, None)
  }

  private def rows(counts: Iterable[Long]): Option[Long] =
    if (counts.exists(_ <= 0)) None else Some(counts.foldLeft(0L)(Math.addExact(_, _)))

  /** `CREATE_INDEX` is `CreateIndex`. */
  private def name(operation: OperationCase): String =
    operation.name.split('_').map(w => w.take(1) + w.drop(1).toLowerCase).mkString
}
