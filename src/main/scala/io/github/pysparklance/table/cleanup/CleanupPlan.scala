// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import io.github.pysparklance.core.Workers
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{ManifestLocation, Versions}

/** The kind of a file to remove. */
sealed abstract class CleanupFileKind(val name: String) extends Serializable {
  override def toString: String = name
}

object CleanupFileKind {

  /** The manifest of a version. */
  case object Manifest extends CleanupFileKind("manifest")

  /** A data file, or a side file of its blobs. */
  case object Data extends CleanupFileKind("data")
  case object Transaction extends CleanupFileKind("transaction")
  case object Index extends CleanupFileKind("index")
  case object Deletion extends CleanupFileKind("deletion")

  /** An incomplete file of a failed writer. Counted only in bytes. */
  case object Temporary extends CleanupFileKind("temporary")
}

/** An unreferenced file.
  *
  * @param path absolute path
  * @param isUnverified whether neither kept nor removed versions reference it, so that it is
  *   removed because of its age
  * @param version for a manifest, the root of its table or branch and its location
  */
final case class CleanupFile(
    path: String,
    kind: CleanupFileKind,
    isUnverified: Boolean,
    sizeBytes: Long,
    version: Option[(TablePath, ManifestLocation)] = None
) {

  /** Deletes the file. For a manifest, also removes its record outside the storage. */
  private[cleanup] def remove(store: FileStore): Unit = version match {
    case Some((root, location)) => new Versions(store, root).remove(location)
    case None => store.delete(path): Unit
  }
}

/** The files that a clean-up removed or would remove.
  *
  * @param bytesRemoved bytes of all kinds of files
  * @param oldVersions number of versions
  * @param failedDeletes files that storage did not delete; not included in the other numbers, and
  *   retried by the next clean-up
  */
final case class CleanupStats(
    bytesRemoved: Long = 0,
    oldVersions: Long = 0,
    dataFilesRemoved: Long = 0,
    transactionFilesRemoved: Long = 0,
    indexFilesRemoved: Long = 0,
    deletionFilesRemoved: Long = 0,
    failedDeletes: Long = 0
) {

  /** Adds both statistics. */
  def +(other: CleanupStats): CleanupStats = CleanupStats(
    bytesRemoved + other.bytesRemoved,
    oldVersions + other.oldVersions,
    dataFilesRemoved + other.dataFilesRemoved,
    transactionFilesRemoved + other.transactionFilesRemoved,
    indexFilesRemoved + other.indexFilesRemoved,
    deletionFilesRemoved + other.deletionFilesRemoved,
    failedDeletes + other.failedDeletes
  )

  private[cleanup] def counting(file: CleanupFile): CleanupStats = {
    val sized = copy(bytesRemoved = bytesRemoved + file.sizeBytes)
    file.kind match {
      case CleanupFileKind.Manifest => sized.copy(oldVersions = oldVersions + 1)
      case CleanupFileKind.Data => sized.copy(dataFilesRemoved = dataFilesRemoved + 1)
      case CleanupFileKind.Transaction =>
        sized.copy(transactionFilesRemoved = transactionFilesRemoved + 1)
      case CleanupFileKind.Index => sized.copy(indexFilesRemoved = indexFilesRemoved + 1)
      case CleanupFileKind.Deletion => sized.copy(deletionFilesRemoved = deletionFilesRemoved + 1)
      case CleanupFileKind.Temporary => sized
    }
  }
}

/** A branch that was created from a version of the cleaned branch, or from one of its descendants.
  *
  * @param version version of the branch that is cleaned up
  * @param isCleaned whether the branch is cleaned up, too
  */
final case class ReferencingBranch(name: String, version: Long, isCleaned: Boolean)

/** The files that a clean-up would remove. Nothing is deleted before its tasks run, so a plan
  * serves as a dry run.
  *
  * [[remove]] deletes the manifests first. Creating a tag, branch, or clone of a removed version,
  * or restoring it, then fails, see [[io.github.pysparklance.table.refs.SourceCheck]]. An
  * interrupted clean-up leaves unreferenced files. A later one removes them when they are seven
  * days old.
  *
  * @param readVersion the latest version at planning
  * @param files all files except manifests
  * @param manifests manifests of the removed versions, ascending
  * @param folders folders that may be empty afterwards, in any order
  * @param late keeps versions and files that were referenced after planning
  */
final case class CleanupPlan private[cleanup] (
    readVersion: Long,
    files: IndexedSeq[CleanupFile],
    manifests: IndexedSeq[CleanupFile],
    folders: IndexedSeq[String],
    branches: IndexedSeq[ReferencingBranch],
    deletesPerSecond: Option[Long],
    private[cleanup] val late: LateReferences
) {

  /** Statistics of the planned removals. */
  def stats: CleanupStats = (files ++ manifests).foldLeft(CleanupStats())(_.counting(_))

  def isEmpty: Boolean = files.isEmpty && manifests.isEmpty

  /** Deletes the manifests, then the files, except those that are referenced since planning.
    *
    * @param filesOfTask maximum number of files of a task
    * @param run runs tasks, which are independent of each other
    */
  def remove(store: FileStore, filesOfTask: Int = CleanupPlan.defaultFilesOfTask)(
      run: IndexedSeq[CleanupTask] => CleanupStats
  ): CleanupStats = {
    val current = late.beforeManifests(store, this)
    current.manifests.flatMap(_.version.map(_._1)).distinct.foreach(new Versions(
      store,
      _
    ).renewHint())
    val removed = run(current.manifestTasks(filesOfTask))
    val (rest, stats) = late.afterManifests(store, current, removed)
    stats + run(rest.fileTasks(filesOfTask))
  }

  /** The files in tasks of at most `filesOfTask` files. */
  private[cleanup] def fileTasks(filesOfTask: Int): IndexedSeq[CleanupTask] =
    files.grouped(filesOfTask).map(CleanupTask(_)).toIndexedSeq

  /** The manifests in tasks of at most `filesOfTask` files. */
  private[cleanup] def manifestTasks(filesOfTask: Int): IndexedSeq[CleanupTask] =
    manifests.grouped(filesOfTask).map(CleanupTask(_)).toIndexedSeq

  /** Deletes everything in this process.
    *
    * @param threads number of parallel requests
    */
  def run(store: FileStore, threads: Int = CleanupPlan.defaultThreads): CleanupStats = {
    val pacer = deletesPerSecond.map(new Pacer(_))
    def all(tasks: IndexedSeq[CleanupTask]): CleanupStats =
      Workers.map(tasks, threads) { task =>
        pacer.fold(task.run(store))(p => task.run(store, p.pause _))
      }.foldLeft(CleanupStats())(_ + _)
    val stats = remove(store)(all)
    removeFolders(store, threads, () => pacer.foreach(_.pause()))
    stats
  }

  /** Removes the folders that became empty, in this process.
    *
    * @param threads number of parallel requests
    * @param pause runs before each folder
    */
  def removeFolders(
      store: FileStore,
      threads: Int = CleanupPlan.defaultThreads,
      pause: () => Unit = () => ()
  ): Unit = folderTasks(1).foreach { level =>
    Workers.map(level, threads) { task =>
      pause()
      task.run(store)
    }
  }

  /** The folders in tasks of at most `foldersOfTask` folders, by depth, innermost first. Tasks of
    * the same depth are independent of each other, and must run after the tasks of all greater
    * depths.
    */
  def folderTasks(
      foldersOfTask: Int = CleanupPlan.defaultFilesOfTask
  ): IndexedSeq[IndexedSeq[FolderTask]] =
    folders.groupBy(_.count(_ == '/')).toIndexedSeq.sortBy(-_._1).map { case (_, level) =>
      level.grouped(foldersOfTask).map(FolderTask(_)).toIndexedSeq
    }
}

object CleanupPlan {
  private val defaultFilesOfTask = 100
  private val defaultThreads = 8
}
