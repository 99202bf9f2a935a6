// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.time.Instant

import io.github.pysparklance.core.{NotFoundException, ParallelReads, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{
  ManifestFile,
  ManifestLimits,
  ManifestLocation,
  ManifestOutline,
  Versions
}

/** A version that was found.
  *
  * @param root root of its table or branch
  * @param branch `None` for the main branch
  * @param read reads its manifest
  */
final private[table] class Found(
    val root: TablePath,
    val branch: Option[String],
    val location: ManifestLocation,
    read: () => ManifestFile
) {

  /** Number of the version. */
  def version: Long = location.version

  /** The manifest. Read on first use, because a tag needs only the number of its version. */
  lazy val file: ManifestFile = read()

  /** Length of the manifest. */
  def manifestSizeBytes(store: FileStore): Long =
    location.sizeBytes.getOrElse(store.status(location.path).fold(0L)(_.sizeBytes))
}

/** Finds versions.
  *
  * @param root root of the table, not of a branch
  */
final private[table] class Revisions(store: FileStore, root: TablePath) {

  /** Returns the version of a revision, or `None` if the table does not exist.
    *
    * @throws NotFoundException if the version, tag, or branch does not exist
    */
  def find(revision: Revision): Option[Found] = revision match {
    case Revision.Latest => latest(None)
    case Revision.Version(version) => Some(at(None, version))
    case Revision.Tagged(tag) => Some(tagged(new Tags(store, root)(tag)))
    case Revision.Named(name) =>
      val tag = if (name.contains("/")) None else new Tags(store, root).get(name)
      tag.map(tagged).orElse {
        if (branches.findRoot(name).isEmpty)
          throw new NotFoundException(s"tag or branch $name", Place(path = Some(root.root)))
        latest(Some(name))
      }
    case Revision.OnBranch(branch, None) => latest(Some(branch))
    case Revision.OnBranch(branch, Some(version)) => Some(at(Some(branch), version))
    case Revision.AsOf(time, branch) => asOf(branch, time)
  }

  /** Like [[find]], for an existing table.
    *
    * @throws NotFoundException if the table, version, tag, or branch does not exist
    */
  def apply(revision: Revision): Found = find(revision).getOrElse(
    throw new NotFoundException("table", Place(path = Some(root.root)))
  )

  private def tagged(tag: Tag): Found = at(tag.branch, tag.version)

  private def branches = new Branches(store, root)

  private def earliest(file: ManifestFile): String =
    s"version ${file.manifest.version} of ${file.manifest.timestamp}"

  private def foundAs(
      folder: TablePath,
      branch: Option[String],
      location: ManifestLocation
  )(read: => ManifestFile): Found =
    new Found(folder, branch.filterNot(_ == RefNames.mainBranch), location, () => read)

  private def found(
      folder: TablePath,
      branch: Option[String],
      location: ManifestLocation
  ): Found = foundAs(folder, branch, location)(ManifestFile.read(store, location))

  private def folderOf(branch: Option[String]): TablePath = branch.fold(root)(branches.rootOf)

  private def latest(branch: Option[String]): Option[Found] = {
    val folder = folderOf(branch)
    new Versions(store, folder).latest().map(found(folder, branch, _))
  }

  private def at(branch: Option[String], version: Long): Found = {
    val folder = folderOf(branch)
    found(folder, branch, new Versions(store, folder).at(version))
  }

  /** The clocks of writers differ, so an earlier version can have a later time. The highest version
    * number counts.
    */
  private def asOf(branch: Option[String], time: Instant): Option[Found] = {
    val folder = folderOf(branch)
    val versions = new Versions(store, folder).list()
    def isInTime(timestamp: Instant): Boolean = !timestamp.isAfter(time)
    versions.lastOption
      .map(ManifestFile.read(store, _))
      .filter(f => isInTime(f.manifest.timestamp))
      .orElse {
        val older = versions.dropRight(1).reverse
        val threads = ManifestLimits.readersOf(store, folder, older)
        val times = new ParallelReads(older, threads)(ManifestOutline.read(store, _).timestamp)
        older.indices.find(i => isInTime(times(i))).map(i => ManifestFile.read(store, older(i)))
      }
      .orElse {
        if (versions.isEmpty) None
        else
          throw new NotFoundException(
            s"a version of the table at or before $time; the earliest remaining one is " +
              earliest(ManifestFile.read(store, versions.head)),
            Place(path = Some(folder.root))
          )
      }
      .map(file => foundAs(folder, branch, file.location)(file))
  }
}
