// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.IOException

import io.github.pysparklance.core.{CorruptFileException, Log, Place}
import io.github.pysparklance.storage.spi.{FileEntry, FileStore, Listing, TablePath}

/** Commits through atomic creates of the storage: the first writer that creates a manifest commits
  * the version. Finding the latest version depends on the kind of listing.
  *
  * {{{
  *                        Whole (local disks)          Ordered                        Slow (S3 Express)
  *   the latest version   list all                     list to the first V2 name      hint, then upwards
  *   versions since s     list all                     list down to s                 list all
  * }}}
  * Without a usable hint, or with V1 names, lists the whole folder.
  *
  * Source: format page of the table, "Finding versions".
  */
final private class StorageCommits(store: FileStore, root: TablePath) extends CommitHandler {
  private val folder = root.folder(Versions.folderName)
  private val hint = new VersionHint(store, root)

  def latest(): Option[ManifestLocation] = store.listing(root.root) match {
    case Listing.Whole =>
      byName().reduceOption((a, b) => if (b._1.version > a._1.version) b else a).map(located)
    case Listing.Ordered => latestFirst().fold(list().lastOption)(_.find(_ => true))
    case Listing.Slow =>
      hint.read().flatMap(v => quietly(upFrom(v).lastOption)).orElse(list().lastOption)
  }

  def since(version: Long): IndexedSeq[ManifestLocation] = {
    def all = list().filter(_.version > version)
    store.listing(root.root) match {
      case Listing.Ordered =>
        latestFirst().fold(all)(_.takeWhile(_.version > version).toIndexedSeq.reverse)
      case Listing.Whole => sinceByName(version)
      case Listing.Slow =>
        // Without the hint: if it is outdated, clean-up may have removed versions between it and
        // the latest one, and a commit would use the number of a removed version.
        val found = sinceByName(version)
        if (found.headOption.exists(_.version > version + 1)) hint.write(found.last.version)
        found
    }
  }

  /** Lists names only. Getting sizes would dominate the time for tables with many versions. */
  private def byName(): Iterator[(ManifestName.Version, String)] = {
    val found = store.listNames(folder.root).flatMap(n => ManifestName.parse(n).map(_ -> n))
    checkOneScheme(found.iterator.map(_._1))
    found.iterator.collect { case (v: ManifestName.Version, name) => (v, name) }
  }

  private def sinceByName(version: Long): IndexedSeq[ManifestLocation] =
    byName().filter(_._1.version > version).map(located).toIndexedSeq.sortBy(_.version)

  private def located(found: (ManifestName.Version, String)): ManifestLocation =
    ManifestLocation(found._1.version, found._1.scheme, folder.resolve(found._2), None)

  /** Lists versions from the latest on, or returns `None` unless the first manifest has a V2 name.
    */
  private def latestFirst(): Option[Iterator[ManifestLocation]] = {
    val found = store.listInOrder(folder.root).flatMap(location).buffered
    if (found.headOption.exists(_.scheme == NamingScheme.V2)) Some(found) else None
  }

  /** Returns this version and the ones after it, up to the first that does not exist. */
  private def upFrom(version: Long): IndexedSeq[ManifestLocation] =
    lookUp(version, NamingScheme.V2).orElse(lookUp(version, NamingScheme.V1)).fold(
      IndexedSeq.empty[ManifestLocation]
    ) { first =>
      first +: Iterator
        .from(1)
        .map(i => lookUp(version + i, first.scheme))
        .takeWhile(_.isDefined)
        .flatten
        .toIndexedSeq
    }

  private def lookUp(version: Long, scheme: NamingScheme): Option[ManifestLocation] = {
    val path = folder.resolve(ManifestName.of(version, scheme))
    store
      .status(path)
      .filterNot(_.isFolder)
      .map(e => ManifestLocation(version, scheme, path, Some(e.sizeBytes)))
  }

  /** Runs a shortcut. A failure is ignored, because the caller then lists the folder. */
  private def quietly[A](shortCut: => Option[A]): Option[A] =
    try shortCut
    catch {
      case e: IOException =>
        StorageCommits.log.debug(s"${folder.root}: the version hint does not help", e)
        None
    }

  def find(version: Long): Option[ManifestLocation] =
    if (version < 0) lookUp(version, NamingScheme.V2)
    else lookUp(version, NamingScheme.V2).orElse(lookUp(version, NamingScheme.V1))

  def listAll(): IndexedSeq[ManifestLocation] = {
    val entries = store.list(folder.root)
    checkOneScheme(
      entries.iterator.filterNot(_.isFolder).flatMap(e => ManifestName.parse(e.name).iterator)
    )
    entries.flatMap(anyLocation).sortBy(_.version)
  }

  private def checkOneScheme(names: Iterator[ManifestName]): Unit = {
    val schemes = names.map {
      case ManifestName.Version(_, scheme) => scheme
      case ManifestName.Detached(_) => NamingScheme.V2
    }
    if (schemes.toSet.size > 1)
      throw new CorruptFileException(
        "the manifests have corrupt naming: both naming schemes in one folder; make sure that no writer is " +
          "active, then run LanceTable.migrateManifestPathsV2, or migrate_manifest_paths_v2 of pylance, " +
          "to rename manifests of the older scheme",
        Place(path = Some(folder.root))
      )
  }

  private def location(entry: FileEntry): Option[ManifestLocation] =
    anyLocation(entry).filter(_.version >= 0)

  private def anyLocation(entry: FileEntry): Option[ManifestLocation] = {
    def at(version: Long, scheme: NamingScheme) =
      ManifestLocation(version, scheme, folder.resolve(entry.name), Some(entry.sizeBytes))
    if (entry.isFolder) None
    else
      ManifestName.parse(entry.name).map {
        case ManifestName.Version(version, scheme) => at(version, scheme)
        case ManifestName.Detached(version) => at(version, NamingScheme.V2)
      }
  }

  def publish(target: ManifestLocation, bytes: Array[Byte]): Boolean =
    store.createIfAbsent(target.path, bytes)

  def absenceIsFinal: Boolean = true

  def remove(location: ManifestLocation): Unit = store.delete(location.path): Unit

  def removeAll(locations: IndexedSeq[ManifestLocation]): Unit =
    store.deleteAll(locations.map(_.path))

  def forget(): Unit = ()
}

private object StorageCommits {
  private val log = Log(classOf[StorageCommits])
}
