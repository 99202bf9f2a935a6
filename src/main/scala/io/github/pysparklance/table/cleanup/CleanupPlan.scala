// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.io.IOException
import java.util.concurrent.atomic.AtomicLong

import io.github.pysparklance.core.{Log, NotFoundException, Workers}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.{ManifestLocation, Versions}

/** What a file that goes is. */
sealed abstract class CleanupFileKind(val name: String) extends Serializable {
  override def toString: String = name
}

object CleanupFileKind {

  /** A version. */
  case object Manifest extends CleanupFileKind("manifest")

  /** A data file, or a file of blobs beside one. */
  case object Data extends CleanupFileKind("data")
  case object Transaction extends CleanupFileKind("transaction")
  case object Index extends CleanupFileKind("index")
  case object Deletion extends CleanupFileKind("deletion")

  /** What a writer left half-written. Counted in bytes only. */
  case object Temporary extends CleanupFileKind("temporary")
}

/** A file that nobody needs any more.
  *
  * @param path whole
  * @param isUnverified whether no version, kept or not, names it: it goes because of its age
  * @param version of a manifest: whose it is, and where
  */
final case class CleanupFile(
    path: String,
    kind: CleanupFileKind,
    isUnverified: Boolean,
    sizeBytes: Long,
    version: Option[(TablePath, ManifestLocation)] = None
) {

  /** Removes it. Whoever else keeps note of versions forgets this one. */
  private[cleanup] def remove(store: FileStore): Unit = version match {
    case Some((root, location)) => new Versions(store, root).remove(location)
    case None => store.delete(path): Unit
  }
}

/** What a clean-up removed, or would remove.
  *
  * @param bytesRemoved of all kinds of files
  * @param oldVersions versions
  * @param failedDeletes files that storage did not remove; they are not counted above, and the next clean-up finds
  *   them again
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

  /** The sum of both. */
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

/** A part of a clean-up: some files to remove. Runs anywhere, and may run again. */
final case class CleanupTask(files: IndexedSeq[CleanupFile]) {

  /** Removes the files. Those that are gone already count as removed; those that storage does not remove stay. */
  def run(store: FileStore): CleanupStats = runAtOnce(store)

  private[cleanup] def run(store: FileStore, pause: () => Unit): CleanupStats =
    files.foldLeft(CleanupStats()) { (stats, file) =>
      pause()
      if (isRemoved(store, file)) stats.counting(file)
      else stats.copy(failedDeletes = stats.failedDeletes + 1)
    }

  /** Removes the files with few requests; one by one when that fails, to know which. */
  private[cleanup] def runAtOnce(store: FileStore): CleanupStats =
    try {
      val (manifests, others) = files.partition(_.version.isDefined)
      store.deleteAll(others.map(_.path))
      manifests.foreach(_.remove(store))
      files.foldLeft(CleanupStats())(_.counting(_))
    } catch {
      case e @ (_: IOException | _: NotFoundException) =>
        CleanupTask.log.debug(s"${files.length} files: not removed at once; one by one now", e)
        run(store, () => ())
    }

  private def isRemoved(store: FileStore, file: CleanupFile): Boolean =
    try {
      file.remove(store)
      true
    } catch {
      case _: NotFoundException => true
      case e: IOException =>
        CleanupTask.log.warn(s"${file.path}: not removed; the next clean-up finds it", e)
        false
    }
}

private object CleanupTask {
  val log: Log = Log(classOf[CleanupTask])
}

/** A branch that began at a version of the one that is cleaned up, or at one of its branches.
  *
  * @param version of the branch that is cleaned up
  * @param isCleaned whether the branch is cleaned as well
  */
final case class ReferencingBranch(name: String, version: Long, isCleaned: Boolean)

/** What a clean-up would remove. Nothing is removed before its tasks run, so a plan that is only looked at is a dry
  * run.
  *
  * The tasks of [[fileTasks]] are independent of each other; when all have run, those of [[manifestTasks]] may:
  * were the manifests first, a clean-up that stops half-way would leave files behind that no version names any more,
  * which the next one keeps for seven days.
  *
  * @param readVersion the version that was the newest
  * @param files all but the manifests
  * @param manifests of the versions that go, in ascending order
  * @param folders that may be empty afterwards, innermost first
  */
final case class CleanupPlan(
    readVersion: Long,
    files: IndexedSeq[CleanupFile],
    manifests: IndexedSeq[CleanupFile],
    folders: IndexedSeq[String],
    branches: IndexedSeq[ReferencingBranch],
    deletesPerSecond: Option[Long]
) {

  /** What would be removed. */
  def stats: CleanupStats = (files ++ manifests).foldLeft(CleanupStats())(_.counting(_))

  def isEmpty: Boolean = files.isEmpty && manifests.isEmpty

  /** The files in parts of at most so many. */
  def fileTasks(filesOfTask: Int = CleanupPlan.defaultFilesOfTask): IndexedSeq[CleanupTask] =
    files.grouped(filesOfTask).map(CleanupTask(_)).toIndexedSeq

  /** The manifests in parts of at most so many. */
  def manifestTasks(filesOfTask: Int = CleanupPlan.defaultFilesOfTask): IndexedSeq[CleanupTask] =
    manifests.grouped(filesOfTask).map(CleanupTask(_)).toIndexedSeq

  /** Removes everything, here.
    *
    * @param threads how many requests are under way at a time
    */
  def run(store: FileStore, threads: Int = CleanupPlan.defaultThreads): CleanupStats = {
    val pacer = deletesPerSecond.map(new Pacer(_))
    def all(tasks: IndexedSeq[CleanupTask]): CleanupStats =
      Workers.map(tasks, threads) { task =>
        pacer.fold(task.run(store))(p => task.run(store, p.pause _))
      }.foldLeft(CleanupStats())(_ + _)
    val stats = all(fileTasks()) + all(manifestTasks())
    removeFolders(store)
    stats
  }

  /** Removes the folders that became empty, on storage that has any. */
  def removeFolders(store: FileStore): Unit = folders.foreach { folder =>
    // A folder that is not empty is refused by storage, and somebody may just be writing to it.
    try if (store.list(folder).isEmpty) store.delete(folder): Unit
    catch {
      case e @ (_: IOException | _: NotFoundException) =>
        CleanupTask.log.debug(s"$folder: the folder stays", e)
    }
  }
}

object CleanupPlan {
  private val defaultFilesOfTask = 100
  private val defaultThreads = 8
}

/** Lets callers go on at a fixed rate. */
final private class Pacer(perSecond: Long) {
  private val intervalNanos = math.max(1L, 1000000000L / perSecond)
  private val next = new AtomicLong(System.nanoTime())

  def pause(): Unit = {
    val mine = next.getAndUpdate(n => math.max(n, System.nanoTime()) + intervalNanos)
    val waitNanos = mine - System.nanoTime()
    if (waitNanos > 0) Thread.sleep(waitNanos / 1000000L, (waitNanos % 1000000L).toInt)
  }
}
