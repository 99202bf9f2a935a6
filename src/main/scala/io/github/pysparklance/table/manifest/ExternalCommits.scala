// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import java.io.IOException
import java.util.UUID

import io.github.pysparklance.core.{
  CorruptFileException,
  LanceException,
  Log,
  NotFoundException,
  Place
}
import io.github.pysparklance.storage.spi.{FileStore, ManifestIndex, ManifestRow, TablePath}

/** Commits through an external manifest store.
  *
  * {{{
  *   1  write the manifest to {final name}-{uuid}         the staging copy
  *   2  put if absent  version -> staging copy            picks the winner; the others remove their copy
  *   3  copy it to the final name                         from here on the version is durable
  *   4  put if present  version -> final name, remove the staging copy
  * }}}
  * A reader that finds the staging copy in a row performs steps 3 and 4, because the writer may
  * have died. Failures in step 4 are harmless. Versions without a row, including all detached ones,
  * are found in the storage.
  *
  * Source: format page of the table, "External manifest store".
  */
final private class ExternalCommits(
    store: FileStore,
    root: TablePath,
    byStorage: StorageCommits,
    index: ManifestIndex
) extends CommitHandler {
  import index.base

  private val manifests = index.store
  private val suffix = ".manifest"

  def latest(): Option[ManifestLocation] =
    manifests.latest(base).fold(byStorage.latest())(located)

  def find(version: Long): Option[ManifestLocation] =
    if (version < 0) byStorage.find(version)
    else
      manifests.get(base, version) match {
        case Some(row) => located(row)
        case None =>
          val found = byStorage.find(version)
          found.foreach(l => quietly(manifests.putIfAbsent(base, row(l))))
          found
      }

  def listAll(): IndexedSeq[ManifestLocation] = {
    // Finishes the latest commit. All earlier ones were finished before it started.
    latest()
    byStorage.listAll()
  }

  def since(version: Long): IndexedSeq[ManifestLocation] =
    if (latest().exists(_.version > version)) byStorage.since(version) else IndexedSeq.empty

  def publish(target: ManifestLocation, bytes: Array[Byte]): Boolean =
    if (target.version < 0) byStorage.publish(target, bytes)
    else {
      val staging = s"${target.path.takeWhile(_ != '?')}-${UUID.randomUUID()}" +
        target.path.dropWhile(_ != '?')
      try store.replace(staging, bytes)
      catch { case e: IOException => throw new NotPublishedException(e) }
      val row = ManifestRow(target.version, key(staging), Some(bytes.length.toLong))
      // After an error the row may reference the staging copy, so the copy is kept. The existing
      // row may be our own, if the client repeated a request after its response was lost.
      val there =
        if (manifests.putIfAbsent(base, row)) Some(row) else manifests.get(base, row.version)
      val won = there.exists(_.path == row.path)
      if (won) finish(target, staging, bytes.length.toLong): Unit
      // Without a row, the first request may still be in flight.
      else if (there.isDefined) quietly(store.delete(staging))
      won
    }

  def absenceIsFinal: Boolean = false

  /** Returns the location of a row's manifest. Finishes the commit first if necessary. */
  private def located(row: ManifestRow): Option[ManifestLocation] = {
    val path = pathOf(row)
    store.status(path) match {
      case Some(e) =>
        checkSize(row, path, e.sizeBytes)
        if (isFinal(row))
          schemeOf(path).map(ManifestLocation(row.version, _, path, Some(e.sizeBytes)))
        else Some(finish(target(row.version, path), path, e.sizeBytes))
      // A migration may have renamed the final file, or another reader may have finished the
      // staging copy.
      case None => byStorage.find(row.version)
    }
  }

  private def target(version: Long, staging: String): ManifestLocation = {
    val scheme: NamingScheme = schemeOf(staging).getOrElse(
      throw new CorruptFileException(
        s"corrupt row of version $version in the manifest store: its path is not a manifest name",
        Place(path = Some(staging))
      )
    )
    val path = root.folder(Versions.folderName).resolve(ManifestName.of(version, scheme))
    ManifestLocation(version, scheme, path, None)
  }

  /** Performs steps 3 and 4. */
  private def finish(
      target: ManifestLocation,
      staging: String,
      sizeBytes: Long
  ): ManifestLocation = {
    val location = target.copy(sizeBytes = Some(sizeBytes))
    try store.copy(staging, target.path)
    catch {
      // Another client finished the commit and removed the staging copy.
      case e: NotFoundException =>
        val there = store.status(target.path).getOrElse(throw e)
        checkSize(row(location), target.path, there.sizeBytes)
    }
    quietly(if (manifests.putIfPresent(base, row(location))) store.delete(staging))
    location
  }

  private def checkSize(row: ManifestRow, path: String, sizeBytes: Long): Unit = Place.in(
    Place(path = Some(path), version = Some(row.version))
  )(
    row.sizeBytes.foreach(expected =>
      CorruptFileException.check(
        expected == sizeBytes,
        s"corrupt manifest: it has $sizeBytes bytes, but the manifest store declares $expected"
      )
    )
  )

  private def isFinal(row: ManifestRow): Boolean = row.path.endsWith(suffix)

  /** Returns the naming scheme of a final name, or of the final name that a staging copy starts
    * with.
    */
  private def schemeOf(path: String): Option[NamingScheme] = {
    val name = path.takeWhile(_ != '?').split('/').last
    ManifestName.parse(name.take(name.indexOf(suffix) + suffix.length)).collect {
      case ManifestName.Version(_, scheme) => scheme
    }
  }

  private def row(l: ManifestLocation): ManifestRow =
    ManifestRow(l.version, key(l.path), l.sizeBytes)

  /** Returns a path below the root in the form of rows. */
  private def key(path: String): String = {
    val name = path.takeWhile(_ != '?').split('/').last
    s"$base/${Versions.folderName}/$name"
  }

  private def pathOf(row: ManifestRow): String = {
    val folder = s"$base/"
    CorruptFileException.check(
      row.path.startsWith(folder),
      s"corrupt row of version ${row.version} in the manifest store: ${row.path} is not below $base"
    )
    root.resolve(row.path.stripPrefix(folder))
  }

  def remove(location: ManifestLocation): Unit = {
    byStorage.remove(location)
    forget(location)
  }

  def removeAll(locations: IndexedSeq[ManifestLocation]): Unit = {
    byStorage.removeAll(locations)
    locations.foreach(forget)
  }

  private def forget(location: ManifestLocation): Unit =
    if (location.version >= 0) manifests.remove(base, location.version)

  def forget(): Unit = manifests.removeAll(base)

  private def quietly(tidying: => Any): Unit =
    try tidying: Unit
    catch {
      case e @ (_: IOException | _: LanceException) =>
        ExternalCommits.log.warn(
          s"$base: the manifest store was not updated; a reader will update it",
          e
        )
    }
}

private object ExternalCommits {
  private val log = Log(classOf[ExternalCommits])
}
