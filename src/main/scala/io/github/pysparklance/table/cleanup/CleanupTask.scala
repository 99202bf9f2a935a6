// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.cleanup

import java.io.IOException
import java.util.concurrent.atomic.AtomicLong

import io.github.pysparklance.core.{Log, NotFoundException}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.Versions

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
    try store.deleteEmptyFolder(folder): Unit
    catch {
      case e @ (_: IOException | _: NotFoundException) =>
        CleanupTask.log.debug(s"$folder: the folder stays", e)
    }
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
