// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.history

import com.google.protobuf.TextFormat

import io.github.pysparklance.core.{Optional, ParallelReads}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{
  ManifestLimits,
  ManifestLocation,
  ManifestOutline,
  Versions
}
import io.github.pysparklance.table.proto.Transaction.OperationCase
import io.github.pysparklance.table.{LanceTable, VersionContent, VersionInfo, VersionRecord}

/** The versions of a table or branch that were not removed. Reads versions lazily. If callers
  * iterate, reads the next ones in parallel.
  *
  * @param root root of the table or branch
  * @param until the last version to include
  */
final class VersionLog private (store: FileStore, root: TablePath, until: Option[Long]) {

  /** All versions, latest first. */
  def latestFirst: Iterator[LoggedVersion] = {
    val latest = locations.reverse
    // The changes of a version depend on the version before it, which is also the next one to
    // return.
    entries(latest, _ + 1)
  }

  /** All versions, oldest first. */
  def oldestFirst: Iterator[LoggedVersion] = entries(locations, _ - 1)

  private def locations: IndexedSeq[ManifestLocation] =
    new Versions(store, root).list().filter(l => until.forall(l.version <= _))

  private def entries(
      locations: IndexedSeq[ManifestLocation],
      before: Int => Int
  ): Iterator[LoggedVersion] = {
    val reader = new VersionRecord.Reader(store, root)
    val threads = ManifestLimits.readersOf(store, root, locations)
    val records = new ParallelReads(locations, threads)(reader(_))
    locations.indices.iterator.map { i =>
      def previous = Optional.when(locations.indices.contains(before(i)))(records(before(i)))
      new LoggedVersion(store, root, locations(i), () => records(i), () => previous)
    }
  }
}

object VersionLog {

  /** Returns the versions of the table or branch that a version belongs to.
    *
    * @param untilThis whether to omit later versions; a detached version includes all
    */
  def of(table: LanceTable, untilThis: Boolean = false): VersionLog =
    new VersionLog(
      table.store,
      table.root,
      Optional.when(untilThis && table.version >= 0)(table.version)
    )
}

/** A version in the log. */
final class LoggedVersion private[history] (
    store: FileStore,
    root: TablePath,
    location: ManifestLocation,
    record: () => VersionRecord,
    before: () => Option[VersionRecord]
) {

  /** Number of the version. */
  def version: Long = location.version

  /** Path of its manifest. */
  def manifestPath: String = location.path

  /** Length of the manifest, if the listing contained it. */
  def manifestSizeBytes: Option[Long] = location.sizeBytes

  /** Summary of its content. */
  lazy val content: VersionContent = record().content

  /** Its changes. */
  lazy val info: VersionInfo = VersionInfo(record(), before())

  /** Its commit properties.
    *
    * @throws io.github.pysparklance.core.LanceException if its transaction cannot be read
    */
  def properties: Map[String, String] =
    record().transaction.fold(Map.empty[String, String])(_.properties)

  /** The version that it restored; `None` for other commits. */
  def restored: Option[Long] = record().knownTransaction
    .filter(_.operation == OperationCase.RESTORE)
    .flatMap(_ => ManifestOutline.read(store, location).transaction(root))
    .map(_.getRestore.getVersion)

  /** Its transaction; `None` if none was recorded or its file was removed. */
  lazy val transaction: Option[TransactionInfo] = record().knownTransaction.map { t =>
    val path = t.fileName.map(root.folder("_transactions").resolve)
    TransactionInfo(t.uuid, t.readVersion, path)(() => text)
  }

  /** Not cached, because the text is large and rarely needed. */
  private def text: String =
    ManifestOutline.read(store, location).transaction(root).fold("") { t =>
      TextFormat.printer().emittingSingleLine(true).printToString(t)
    }
}

/** A recorded transaction.
  *
  * Source: message `Transaction`, transaction.proto.
  *
  * @param readVersion the version that it was based on
  * @param path path of its file, if it has one
  */
final case class TransactionInfo(uuid: String, readVersion: Long, path: Option[String])(
    text: () => String
) {

  /** The message in protobuf text format, on one line. */
  def message: String = text()
}
