// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.history

import com.google.protobuf.TextFormat

import io.github.pysparklance.core.{CorruptFileException, Log, NotFoundException}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{
  Manifest,
  ManifestFile,
  ManifestLocation,
  Versions
}
import io.github.pysparklance.table.{LanceTable, VersionInfo}

/** The versions of a table or branch that are still there. What a caller does not come to is not read.
  *
  * @param root of the table or branch
  * @param until the last version that counts
  */
final class VersionLog private (store: FileStore, root: TablePath, until: Option[Long]) {

  /** All of them, the newest first. */
  def newestFirst: Iterator[LoggedVersion] = {
    val locations = new Versions(store, root).list().filter(l => until.forall(l.version <= _))
    var held = Option.empty[HeldManifest]
    locations.indices.reverseIterator.map { i =>
      val own = held.getOrElse(new HeldManifest(store, locations(i)))
      // The manifest before tells what changed; it is the next one to be handed out.
      held = Option.when(i > 0)(new HeldManifest(store, locations(i - 1)))
      new LoggedVersion(root, own, held)
    }
  }
}

object VersionLog {
  private[history] val log = Log(classOf[VersionLog])

  /** The versions of the table or branch that a version belongs to.
    *
    * @param untilThis whether versions after this one are left out; a detached one has all versions beside it
    */
  def of(table: LanceTable, untilThis: Boolean = false): VersionLog =
    new VersionLog(
      table.store,
      table.root,
      Option.when(untilThis && table.version >= 0)(table.version)
    )
}

/** A manifest, read when somebody asks. */
final private class HeldManifest(store: FileStore, val location: ManifestLocation) {
  lazy val file: ManifestFile = ManifestFile.read(store, location)
}

/** A version in the log. */
final class LoggedVersion private[history] (
    root: TablePath,
    held: HeldManifest,
    before: Option[HeldManifest]
) {

  /** Its number. */
  def version: Long = held.location.version

  /** Where its manifest is. */
  def manifestPath: String = held.location.path

  /** Length of the manifest, where the listing told it. */
  def manifestSizeBytes: Option[Long] = held.location.sizeBytes

  /** Its content. */
  def manifest: Manifest = held.file.manifest

  /** What happened in it. */
  lazy val info: VersionInfo = VersionInfo(root, held.file, before.map(_.file))

  /** The transaction that made it; none when nobody noted it, or its file is gone. */
  lazy val transaction: Option[TransactionInfo] =
    try
      held.file.transaction(root).map { t =>
        val name = manifest.transactionFile.map(root.folder("_transactions").resolve)
        TransactionInfo(t.getUuid, t.getReadVersion, name) { () =>
          TextFormat.printer().emittingSingleLine(true).printToString(t)
        }
      }
    catch {
      case e @ (_: CorruptFileException | _: NotFoundException) =>
        VersionLog.log.debug(
          s"${root.root}: version ${manifest.version} without its transaction",
          e
        )
        None
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
