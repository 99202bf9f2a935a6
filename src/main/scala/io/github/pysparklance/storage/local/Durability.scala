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

/** Makes local files durable. [[LocalFiles]] syncs each file before its name, and the name before
  * it returns. So a manifest never survives a power loss without its files.
  */
private[pysparklance] trait Durability {

  /** Syncs the content of a file. */
  def syncFile(file: Path): Unit

  /** Syncs the entries of a folder. */
  def syncFolder(folder: Path): Unit
}

private[pysparklance] object Durability {

  /** Syncs by `fsync`. */
  val disk: Durability = new Durability {
    // An interrupt would close the channel during the sync.
    def syncFile(file: Path): Unit =
      Interrupts.defer(Using.resource(FileChannel.open(file, WRITE))(_.force(true)))

    // Not every operating system and file system can sync folders, and Java has no specific
    // exception for that.
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
