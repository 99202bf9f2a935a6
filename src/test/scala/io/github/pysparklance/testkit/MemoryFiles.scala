// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.storage.spi.{FileEntry, FileStore, OutputFile, RangeReader}

/** A storage in memory. Files that are being written are visible immediately, with their current
  * content. All files are very old, so that clean-up removes them if nothing references them.
  *
  * @param initial paths with the contents of the files
  */
final class MemoryFiles(initial: Map[String, IndexedSeq[Byte]] = Map.empty) extends FileStore {
  private val ancientMillis = 1L
  private val files = new ConcurrentHashMap[String, Array[Byte]]
  initial.foreach { case (path, bytes) => files.put(path, bytes.toArray) }

  /** Returns the current files. */
  def snapshot: Map[String, IndexedSeq[Byte]] =
    files.asScala.iterator.map { case (p, b) => p -> b.toIndexedSeq }.toMap

  private def bytes(path: String): Array[Byte] = Option(files.get(path)).getOrElse(
    throw new NotFoundException("file", Place(path = Some(path)))
  )

  def open(path: String): RangeReader = MemoryStorage.reader(path, bytes(path))

  def open(path: String, sizeBytes: Long): RangeReader =
    MemoryStorage.reader(path, bytes(path), sizeBytes)

  def create(path: String): OutputFile = {
    if (files.putIfAbsent(path, Array.emptyByteArray) != null)
      throw new IOException(s"$path is there already")
    new Output(path)
  }

  final private class Output(val path: String) extends OutputFile {
    private var isOpen = true
    def position: Long = files.get(path).length.toLong
    def write(bytes: Array[Byte], from: Int, length: Int): Unit =
      files.put(path, files.get(path) ++ bytes.slice(from, from + length)): Unit
    def close(): Unit = isOpen = false
    def abort(): Unit = if (isOpen) files.remove(path): Unit
  }

  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean =
    files.putIfAbsent(path, bytes.clone()) == null

  def replace(path: String, bytes: Array[Byte]): Unit = files.put(path, bytes.clone()): Unit

  def copy(from: String, to: String): Unit = files.put(to, bytes(from)): Unit

  def list(folder: String): IndexedSeq[FileEntry] = {
    val prefix = folder.stripSuffix("/") + "/"
    files.asScala.iterator
      .collect { case (p, b) if p.startsWith(prefix) => (p.substring(prefix.length), b.length) }
      .map { case (below, size) =>
        if (below.contains('/')) FileEntry(below.takeWhile(_ != '/'), isFolder = true, 0, 0)
        else FileEntry(below, isFolder = false, size.toLong, ancientMillis)
      }
      .toIndexedSeq
      .distinct
  }

  def status(path: String): Option[FileEntry] = {
    val name = path.substring(path.lastIndexOf('/') + 1)
    Option(files.get(path)) match {
      case Some(b) => Some(FileEntry(name, isFolder = false, b.length.toLong, ancientMillis))
      case None if list(path).nonEmpty => Some(FileEntry(name, isFolder = true, 0, 0))
      case None => None
    }
  }

  def delete(path: String): Boolean = files.remove(path) != null

  def deleteFolder(path: String): Boolean =
    files.keySet.removeIf(_.startsWith(path.stripSuffix("/") + "/"))
}
