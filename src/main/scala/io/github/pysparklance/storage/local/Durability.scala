// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.local

import java.io.IOException
import java.nio.channels.FileChannel
import java.nio.file.StandardOpenOption.{READ, WRITE}
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.Using

import io.github.pysparklance.core.{Interrupts, Log}

/** Makes files survive a power loss. [[LocalFiles]] syncs each file before its name, and the name before it returns, so
  * a manifest never survives without the files that it names.
  */
private[pysparklance] trait Durability {

  /** Writes the content of a file to the disk. */
  def syncFile(file: Path): Unit

  /** Writes the names of the files and folders right in a folder to the disk. */
  def syncFolder(folder: Path): Unit
}

private[pysparklance] object Durability {

  /** The disks of this machine, by `fsync`. */
  val disk: Durability = new Durability {
    // An interrupt would close the channel in the middle of a sync.
    def syncFile(file: Path): Unit =
      Interrupts.defer(Using.resource(FileChannel.open(file, WRITE))(_.force(true)))

    // Not every system and file system can sync a folder, and Java has no exception of its own for that.
    def syncFolder(folder: Path): Unit =
      try Interrupts.defer(Using.resource(FileChannel.open(folder, READ))(_.force(true)))
      catch { case e: IOException if Files.isDirectory(folder) => notSynced(folder, e) }
  }

  private val log = Log(getClass)
  private val isReported = new AtomicBoolean

  private def notSynced(folder: Path, e: IOException): Unit =
    if (!isReported.getAndSet(true))
      log.warn(s"$folder: the folder cannot be synced; a power loss may undo commits here", e)
    else log.debug(s"$folder: the folder cannot be synced", e)
}
