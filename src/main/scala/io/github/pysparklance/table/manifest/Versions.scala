// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import io.github.pysparklance.core.{CorruptFileException, NotFoundException, Place}
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

/** Finds the versions of a table by listing `_versions`.
  *
  * Source: format page of the table, "Finding versions".
  */
final class Versions(store: FileStore, root: TablePath) {
  private val folder = root.folder(Versions.folderName)

  /** All versions in ascending order, detached ones left out; empty when there is no table.
    *
    * @throws CorruptFileException when both naming schemes occur
    */
  def list(): IndexedSeq[ManifestLocation] = {
    val found = for {
      entry <- store.list(folder.root)
      if !entry.isFolder
      name <- ManifestName.parse(entry.name)
    } yield name -> entry
    val schemes = found.map {
      case (ManifestName.Version(_, scheme), _) => scheme
      case (ManifestName.Detached(_), _) => NamingScheme.V2
    }
    if (schemes.distinct.length > 1)
      throw new CorruptFileException(
        "the manifests have corrupt naming: both naming schemes in one folder; no writer may be " +
          "active, then migrate_manifest_paths_v2 of pylance renames those of the older scheme",
        Place(path = Some(folder.root))
      )
    found
      .collect { case (ManifestName.Version(version, scheme), entry) =>
        ManifestLocation(version, scheme, folder.resolve(entry.name), Some(entry.sizeBytes))
      }
      .sortBy(_.version)
  }

  /** The newest version; none when there is no table. */
  def latest(): Option[ManifestLocation] = list().lastOption

  /** The manifest of a version, detached ones included.
    *
    * @throws NotFoundException when the table has no such version
    */
  def at(version: Long): ManifestLocation =
    candidates(version).iterator
      .flatMap { case (scheme, name) =>
        val path = folder.resolve(name)
        store
          .status(path)
          .filterNot(_.isFolder)
          .map(e => ManifestLocation(version, scheme, path, Some(e.sizeBytes)))
      }
      .nextOption()
      .getOrElse {
        throw new NotFoundException(
          s"version ${java.lang.Long.toUnsignedString(version)} of the table",
          Place(path = Some(root.root))
        )
      }

  private def candidates(version: Long): Seq[(NamingScheme, String)] =
    if (version < 0)
      Seq(NamingScheme.V2 -> s"d${java.lang.Long.toUnsignedString(version)}.manifest")
    else Seq(NamingScheme.V2, NamingScheme.V1).map(s => s -> s.fileName(version))

  /** Where the manifest of a new version goes. */
  def location(version: Long, scheme: NamingScheme): ManifestLocation =
    ManifestLocation(version, scheme, folder.resolve(scheme.fileName(version)), None)
}

object Versions {

  /** The folder of the manifests below the root. */
  val folderName: String = "_versions"
}
