// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.io.IOException
import java.util.concurrent.atomic.AtomicLong

import io.github.pysparklance.core.{Log, NotFoundException, Workers}
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

/** A part of a clean-up: some files to delete. Can run anywhere and can be retried. */
final case class CleanupTask(files: IndexedSeq[CleanupFile]) {

  /** Deletes the files. Missing files count as removed. Logs files that storage does not delete. */
  def run(store: FileStore): CleanupStats = runAtOnce(store)

  private[cleanup] def run(store: FileStore, pause: () => Unit): CleanupStats =
    files.foldLeft(CleanupStats()) { (stats, file) =>
      pause()
      if (isRemoved(store, file)) stats.counting(file)
      else stats.copy(failedDeletes = stats.failedDeletes + 1)
    }

  /** Deletes the files with few requests. If that fails, deletes them one by one to find the
    * failing ones.
    */
  private[cleanup] def runAtOnce(store: FileStore): CleanupStats =
    try {
      val (manifests, others) = files.partition(_.version.isDefined)
      store.deleteAll(others.map(_.path))
      manifests.flatMap(_.version).groupBy(_._1).foreach { case (root, its) =>
        new Versions(store, root).removeAll(its.map(_._2))
      }
      files.foldLeft(CleanupStats())(_.counting(_))
    } catch {
      case e @ (_: IOException | _: NotFoundException) =>
        CleanupTask.log.debug(
          s"${files.length} files: bulk delete failed; deleting them one by one",
          e
        )
        run(store, () => ())
    }

  private def isRemoved(store: FileStore, file: CleanupFile): Boolean =
    try {
      file.remove(store)
      true
    } catch {
      case _: NotFoundException => true
      case e: IOException =>
        CleanupTask.log.warn(s"${file.path}: not removed; the next clean-up retries", e)
        false
    }
}

private object CleanupTask {
  val log: Log = Log(classOf[CleanupTask])
}

/** A part of a clean-up: folders that may be empty. Can run anywhere and can be retried. */
final case class FolderTask(folders: IndexedSeq[String]) {

  /** Removes the folders that are empty, on storage that has folders. Failures are ignored.
    *
    * @return number of folders that were listed
    */
  def run(store: FileStore): Integer = {
    folders.foreach(removeIfEmpty(store, _))
    folders.length
  }

  private def removeIfEmpty(store: FileStore, folder: String): Unit =
    // Storage rejects the removal of a folder that is not empty. Another writer may just be adding
    // a file.
    try if (store.list(folder).isEmpty) store.delete(folder): Unit
    catch {
      case e @ (_: IOException | _: NotFoundException) =>
        CleanupTask.log.debug(s"$folder: the folder stays", e)
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
  * The tasks of [[fileTasks]] are independent of each other. The tasks of [[manifestTasks]] must
  * run after all of them. If manifests were deleted first, an interrupted clean-up would leave
  * files that no version references. The next clean-up would keep those for seven days. The tasks
  * of [[folderTasks]] come last.
  *
  * @param readVersion the latest version at planning
  * @param files all files except manifests
  * @param manifests manifests of the removed versions, ascending
  * @param folders folders that may be empty afterwards, in any order
  */
final case class CleanupPlan(
    readVersion: Long,
    files: IndexedSeq[CleanupFile],
    manifests: IndexedSeq[CleanupFile],
    folders: IndexedSeq[String],
    branches: IndexedSeq[ReferencingBranch],
    deletesPerSecond: Option[Long]
) {

  /** Statistics of the planned removals. */
  def stats: CleanupStats = (files ++ manifests).foldLeft(CleanupStats())(_.counting(_))

  def isEmpty: Boolean = files.isEmpty && manifests.isEmpty

  /** The files in tasks of at most `filesOfTask` files. */
  def fileTasks(filesOfTask: Int = CleanupPlan.defaultFilesOfTask): IndexedSeq[CleanupTask] =
    files.grouped(filesOfTask).map(CleanupTask(_)).toIndexedSeq

  /** The manifests in tasks of at most `filesOfTask` files. */
  def manifestTasks(filesOfTask: Int = CleanupPlan.defaultFilesOfTask): IndexedSeq[CleanupTask] =
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
    val stats = all(fileTasks()) + all(manifestTasks())
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

  /** The folders in tasks of at most `foldersOfTask` folders, by depth, innermost first. Tasks of the
    * same depth are independent of each other, and must run after the tasks of all greater depths.
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

/** Limits the rate of its callers. */
final private class Pacer(perSecond: Long) {
  private val intervalNanos = math.max(1L, 1000000000L / perSecond)
  private val next = new AtomicLong(System.nanoTime())

  def pause(): Unit = {
    val mine = next.getAndUpdate(n => math.max(n, System.nanoTime()) + intervalNanos)
    val waitNanos = mine - System.nanoTime()
    if (waitNanos > 0) Thread.sleep(waitNanos / 1000000L, (waitNanos % 1000000L).toInt)
  }
}
