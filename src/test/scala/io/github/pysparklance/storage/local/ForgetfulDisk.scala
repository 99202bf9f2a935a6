// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.local

import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{Files, Path}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.pysparklance.storage.spi.FileStore

/** A disk that loses everything that was not synced at a power loss: bytes of files, names in
  * folders, removals, and renames.
  *
  * {{{
  *   syncFile(t/data/x)     keeps as many bytes as x has now
  *   syncFolder(t/data)     keeps the names in t/data as they are now
  *   powerLoss(t)           leaves the kept names that kept folders lead to, each file with its kept bytes
  * }}}
  *
  * @param attic a folder on the same disk, for files that may be restored
  * @param syncs whether a sync of this path takes effect
  */
final class ForgetfulDisk(attic: Path, syncs: Path => Boolean = _ => true) {
  private val keptBytes = mutable.Map.empty[AnyRef, Long]
  private val keptNames = mutable.Map.empty[Path, Map[String, AnyRef]]

  private val durability: Durability = new Durability {
    def syncFile(file: Path): Unit = if (syncs(file)) keptBytes.synchronized {
      keptBytes(keep(file)) = Files.size(file)
    }
    def syncFolder(folder: Path): Unit = if (syncs(folder)) keptBytes.synchronized {
      keptNames(folder) = children(folder).map(c => c.getFileName.toString -> keep(c)).toMap
    }
  }

  /** Local files on this disk. */
  val store: FileStore = new LocalFiles(durability)

  private def children(folder: Path): Seq[Path] =
    Using.resource(Files.newDirectoryStream(folder))(_.asScala.toVector)

  /** Returns the inode of a file, and keeps it in the attic so that no other file gets it. */
  private def keep(file: Path): AnyRef =
    if (Files.isDirectory(file)) ForgetfulDisk.Folder
    else {
      val key = Files.readAttributes(file, classOf[BasicFileAttributes]).fileKey
      if (!Files.exists(inAttic(key))) Files.createLink(inAttic(key), file)
      key
    }

  private def inAttic(key: AnyRef): Path =
    attic.resolve(key.toString.filter(_.isLetterOrDigit))

  /** Runs `body` on the state of a folder after a power loss, and restores the folder afterwards.
    */
  def afterPowerLoss[A](folder: Path)(body: => A): A = keptBytes.synchronized {
    val aside = folder.resolveSibling(s"${folder.getFileName}.aside")
    Files.move(folder, aside)
    try {
      restore(folder)
      body
    } finally {
      LocalFileStore.deleteFolder(folder.toString)
      Files.move(aside, folder): Unit
    }
  }

  private def restore(folder: Path): Unit = {
    Files.createDirectory(folder)
    keptNames.getOrElse(folder, Map.empty).foreach {
      case (name, ForgetfulDisk.Folder) => restore(folder.resolve(name))
      case (name, key) =>
        val bytes = Files.readAllBytes(inAttic(key))
        Files.write(folder.resolve(name), bytes.take(keptBytes.getOrElse(key, 0L).toInt))
    }
  }
}

private object ForgetfulDisk {
  object Folder
}
