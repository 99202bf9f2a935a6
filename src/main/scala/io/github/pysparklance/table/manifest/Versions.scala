// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.storage.spi.{FileStore, Listing, TablePath}

/** Location of a version's manifest.
  *
  * @param sizeBytes its length, if a listing contained it
  */
final case class ManifestLocation(
    version: Long,
    scheme: NamingScheme,
    path: String,
    sizeBytes: Option[Long]
)

/** The versions of a table or branch. Delegates to a [[CommitHandler]].
  *
  * Source: format page of the table, "Finding versions".
  *
  * @param root folder of the table or branch
  */
final class Versions(store: FileStore, root: TablePath) {
  private val folder = root.folder(Versions.folderName)
  private val handler = CommitHandler(store, root)

  /** Returns all versions except detached ones, ascending. Empty if the table does not exist.
    *
    * @throws io.github.pysparklance.core.CorruptFileException if both naming schemes occur
    */
  def list(): IndexedSeq[ManifestLocation] = handler.list()

  /** Returns the latest version, or `None` if the table does not exist. */
  def latest(): Option[ManifestLocation] = handler.latest()

  /** Writes the latest version to the [[VersionHint]] on storage where readers search upwards from
    * it. They would not find the latest version across removed ones.
    */
  private[table] def renewHint(): Unit =
    if (store.listing(root.root) == Listing.Slow)
      list().lastOption.foreach(l => new VersionHint(store, root).write(l.version))

  /** Returns the versions after this one, ascending. */
  def since(version: Long): IndexedSeq[ManifestLocation] = handler.since(version)

  /** Returns the manifest of a version, including detached ones.
    *
    * @throws NotFoundException if the version does not exist
    */
  def at(version: Long): ManifestLocation = find(version).getOrElse {
    throw new NotFoundException(
      s"version ${java.lang.Long.toUnsignedString(version)} of the table",
      Place(path = Some(root.root))
    )
  }

  /** Like [[at]], but `None` if the version does not exist. */
  def find(version: Long): Option[ManifestLocation] = handler.find(version)

  /** Like [[list]], with the detached versions, which have negative numbers and are the first. */
  private[table] def listAll(): IndexedSeq[ManifestLocation] = handler.listAll()

  /** Returns the location for the manifest of a new version.
    *
    * @param scheme scheme of the table; tables with detached versions have V2
    */
  def location(version: Long, scheme: NamingScheme): ManifestLocation =
    ManifestLocation(version, scheme, folder.resolve(ManifestName.of(version, scheme)), None)

  /** Publishes a manifest as its version, see [[CommitHandler.publish]]. */
  private[table] def publish(target: ManifestLocation, bytes: Array[Byte]): Boolean =
    handler.publish(target, bytes)

  /** Whether a version that is not found after a failed [[publish]] cannot appear later. */
  private[table] def absenceIsFinal: Boolean = handler.absenceIsFinal

  /** Whether a failed [[publish]] never replaces another manifest later. */
  private[table] def isConditional: Boolean = handler.isConditional

  /** Removes the manifest of a version, for clean-up. */
  private[table] def remove(location: ManifestLocation): Unit = handler.remove(location)

  /** Removes the manifests of versions, for clean-up, see [[CommitHandler.removeAll]]. */
  private[table] def removeAll(locations: IndexedSeq[ManifestLocation]): Unit =
    handler.removeAll(locations)

  /** Must be called before the folder of the table or branch is removed. */
  private[table] def forget(): Unit = handler.forget()

  /** Renames manifests from the naming scheme V1 to V2. No writer may be active meanwhile. Can be
    * repeated after a failure.
    *
    * @return number of renamed manifests
    */
  private[table] def migrateToV2(): Int = {
    val old = for {
      entry <- store.list(folder.root)
      if !entry.isFolder
      ManifestName.Version(version, NamingScheme.V1) <- ManifestName.parse(entry.name)
    } yield version -> folder.resolve(entry.name)
    old.sortBy(_._1).foreach { case (version, path) =>
      store.copy(path, location(version, NamingScheme.V2).path)
      store.delete(path)
    }
    old.length
  }
}

object Versions {

  /** Folder of the manifests below the root. */
  val folderName: String = "_versions"
}
