// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.history

import com.google.protobuf.TextFormat

import io.github.pysparklance.core.{Optional, ParallelReads}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{ManifestLocation, ManifestOutline, Versions}
import io.github.pysparklance.table.{LanceTable, VersionContent, VersionInfo, VersionRecord}

/** The versions of a table or branch that are still there. A version is read when a caller comes to it; where callers
  * go on, the next ones are read in parallel.
  *
  * @param root of the table or branch
  * @param until the last version that counts
  */
final class VersionLog private (store: FileStore, root: TablePath, until: Option[Long]) {

  /** All of them, the newest first. */
  def newestFirst: Iterator[LoggedVersion] = {
    val newest = locations.reverse
    // The version before tells what changed; it is the next one to be handed out.
    entries(newest, _ + 1)
  }

  /** All of them, the oldest first. */
  def oldestFirst: Iterator[LoggedVersion] = entries(locations, _ - 1)

  private def locations: IndexedSeq[ManifestLocation] =
    new Versions(store, root).list().filter(l => until.forall(l.version <= _))

  private def entries(
      locations: IndexedSeq[ManifestLocation],
      before: Int => Int
  ): Iterator[LoggedVersion] = {
    val reader = new VersionRecord.Reader(store, root)
    val records = new ParallelReads(locations)(reader(_))
    locations.indices.iterator.map { i =>
      def previous = Optional.when(locations.indices.contains(before(i)))(records(before(i)))
      new LoggedVersion(store, root, locations(i), () => records(i), () => previous)
    }
  }
}

object VersionLog {

  /** The versions of the table or branch that a version belongs to.
    *
    * @param untilThis whether versions after this one are left out; a detached one has all versions beside it
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

  /** Its number. */
  def version: Long = location.version

  /** Where its manifest is. */
  def manifestPath: String = location.path

  /** Length of the manifest, where the listing told it. */
  def manifestSizeBytes: Option[Long] = location.sizeBytes

  /** What it holds. */
  lazy val content: VersionContent = record().content

  /** What happened in it. */
  lazy val info: VersionInfo = VersionInfo(record(), before())

  /** The notes on its commit.
    *
    * @throws io.github.pysparklance.core.LanceException when its transaction cannot be read
    */
  def properties: Map[String, String] =
    record().transaction.fold(Map.empty[String, String])(_.properties)

  /** The transaction that made it; none when nobody noted it, or its file is gone. */
  lazy val transaction: Option[TransactionInfo] = record().knownTransaction.map { t =>
    val path = t.fileName.map(root.folder("_transactions").resolve)
    TransactionInfo(t.uuid, t.readVersion, path)(() => text)
  }

  /** Large, and seldom wanted: not kept. */
  private def text: String =
    ManifestOutline.read(store, location).transaction(root).fold("") { t =>
      TextFormat.printer().emittingSingleLine(true).printToString(t)
    }
}

/** A transaction as it was noted.
  *
  * Source: message `Transaction`, transaction.proto.
  *
  * @param readVersion the version it was based on
  * @param path of its own file, where it has one
  */
final case class TransactionInfo(uuid: String, readVersion: Long, path: Option[String])(
    text: () => String
) {

  /** The message in protobuf's text form, on one line. */
  def message: String = text()
}
