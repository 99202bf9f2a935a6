// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}

/** Where the manifest of a version is.
  *
  * @param sizeBytes its length, where a listing told it
  */
final case class ManifestLocation(
    version: Long,
    scheme: NamingScheme,
    path: String,
    sizeBytes: Option[Long]
)

/** The versions of a table or branch, whoever decides about them: see [[CommitHandler]].
  *
  * Source: format page of the table, "Finding versions".
  *
  * @param root the folder of the table or branch
  */
final class Versions(store: FileStore, root: TablePath) {
  private val folder = root.folder(Versions.folderName)
  private val handler = CommitHandler(store, root)

  /** All versions in ascending order, detached ones left out; empty when there is no table.
    *
    * @throws io.github.pysparklance.core.CorruptFileException when both naming schemes occur
    */
  def list(): IndexedSeq[ManifestLocation] = handler.list()

  /** The newest version; none when there is no table. */
  def latest(): Option[ManifestLocation] = handler.latest()

  /** The versions after this one, in ascending order. */
  def since(version: Long): IndexedSeq[ManifestLocation] = handler.since(version)

  /** The manifest of a version, detached ones included.
    *
    * @throws NotFoundException when the table has no such version
    */
  def at(version: Long): ManifestLocation = find(version).getOrElse {
    throw new NotFoundException(
      s"version ${java.lang.Long.toUnsignedString(version)} of the table",
      Place(path = Some(root.root))
    )
  }

  /** The same, none when there is no such version. */
  def find(version: Long): Option[ManifestLocation] = handler.find(version)

  /** The detached versions, in no order. */
  def detached(): IndexedSeq[ManifestLocation] = for {
    entry <- store.list(folder.root)
    if !entry.isFolder
    ManifestName.Detached(version) <- ManifestName.parse(entry.name)
  } yield ManifestLocation(
    version,
    NamingScheme.V2,
    folder.resolve(entry.name),
    Some(entry.sizeBytes)
  )

  /** Where the manifest of a new version goes.
    *
    * @param scheme that of the table; tables with detached versions have V2
    */
  def location(version: Long, scheme: NamingScheme): ManifestLocation =
    ManifestLocation(version, scheme, folder.resolve(ManifestName.of(version, scheme)), None)

  /** Makes a manifest the one of its version, see [[CommitHandler.publish]]. */
  private[table] def publish(target: ManifestLocation, bytes: Array[Byte]): Boolean =
    handler.publish(target, bytes)

  /** Whether a version that is not found after a failed [[publish]] will not appear later either. */
  private[table] def absenceIsFinal: Boolean = handler.absenceIsFinal

  /** Whether a failed [[publish]] never replaces another manifest later. */
  private[table] def isConditional: Boolean = handler.isConditional

  /** Removes the manifest of a version, for clean-up. */
  private[table] def remove(location: ManifestLocation): Unit = handler.remove(location)

  /** To be called before the folder of the table or branch is removed. */
  private[table] def forget(): Unit = handler.forget()

  /** Gives the manifests of the older naming scheme names of the newer one. No writer may be active meanwhile; after a
    * failure it can be run again.
    *
    * @return how many got a new name
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

  /** The folder of the manifests below the root. */
  val folderName: String = "_versions"
}
