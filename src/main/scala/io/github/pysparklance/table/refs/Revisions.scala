// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.refs

import java.time.Instant

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{ManifestFile, Versions}

/** A version that was looked up.
  *
  * @param root of the table or branch it belongs to
  */
final private[table] case class Found(root: TablePath, file: ManifestFile)

/** Looks versions up.
  *
  * @param root of the table, not of a branch
  */
final private[table] class Revisions(store: FileStore, root: TablePath) {

  /** The version that is meant; none when there is no table at all.
    *
    * @throws NotFoundException when there is no such version, tag or branch
    */
  def find(revision: Revision): Option[Found] = revision match {
    case Revision.Latest => latest(root)
    case Revision.Version(version) => Some(at(root, version))
    case Revision.Tagged(tag) => Some(tagged(new Tags(store, root)(tag)))
    case Revision.Named(name) =>
      val tag = if (name.contains("/")) None else new Tags(store, root).get(name)
      tag.map(tagged).orElse(latest(branches.findRoot(name).getOrElse {
        throw new NotFoundException(s"tag or branch $name", Place(path = Some(root.root)))
      }))
    case Revision.OnBranch(branch, version) =>
      val onBranch = branches.rootOf(branch)
      version.fold(latest(onBranch))(v => Some(at(onBranch, v)))
    case Revision.AsOf(time, branch) => asOf(branch.fold(root)(branches.rootOf), time)
  }

  private def tagged(tag: Tag): Found = at(tag.branch.fold(root)(branches.rootOf), tag.version)

  private def branches = new Branches(store, root)

  private def latest(folder: TablePath): Option[Found] =
    new Versions(store, folder).latest().map(l => Found(folder, ManifestFile.read(store, l)))

  private def at(folder: TablePath, version: Long): Found =
    Found(folder, ManifestFile.read(store, new Versions(store, folder).at(version)))

  /** Clocks of writers differ, so an older version may be younger: the highest version number counts. */
  private def asOf(folder: TablePath, time: Instant): Option[Found] = {
    val versions = new Versions(store, folder).list()
    versions.reverseIterator
      .map(ManifestFile.read(store, _))
      .find(f => !f.manifest.timestamp.isAfter(time))
      .orElse {
        if (versions.isEmpty) None
        else
          throw new NotFoundException(
            s"a version of the table at or before $time",
            Place(path = Some(folder.root))
          )
      }
      .map(Found(folder, _))
  }
}
