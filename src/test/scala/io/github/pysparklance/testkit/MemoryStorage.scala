// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.pysparklance.core.NotFoundException
import io.github.pysparklance.storage.spi.{FileEntry, FileStore, OutputFile, RangeReader}

/** Read-only files in memory.
  *
  * @param changed files that replace files with the same path; readers with a known size also read
  *   them completely
  */
final class MemoryStorage(
    files: Map[String, Array[Byte]],
    changed: Map[String, Array[Byte]] = Map.empty
) extends FileStore {

  def paths: Iterable[String] = files.keys

  def bytes(path: String): Array[Byte] =
    changed.getOrElse(path, files.getOrElse(path, throw new NotFoundException(s"file $path")))

  def withFile(path: String, bytes: Array[Byte]): MemoryStorage =
    new MemoryStorage(files, changed.updated(path, bytes))

  def open(path: String): RangeReader = MemoryStorage.reader(path, bytes(path))

  def open(path: String, sizeBytes: Long): RangeReader =
    if (changed.contains(path)) open(path) else MemoryStorage.reader(path, bytes(path), sizeBytes)

  def list(folder: String): IndexedSeq[FileEntry] = {
    val prefix = folder.stripSuffix("/") + "/"
    files.keys.iterator
      .filter(_.startsWith(prefix))
      .map(p => (p.substring(prefix.length).split('/').toList, p))
      .collect {
        case (name :: Nil, p) => FileEntry(name, isFolder = false, bytes(p).length.toLong, 0)
        case (name :: _, _) => FileEntry(name, isFolder = true, 0, 0)
      }
      .toIndexedSeq
      .distinct
  }

  def status(path: String): Option[FileEntry] = {
    val name = path.substring(path.lastIndexOf('/') + 1)
    if (files.contains(path)) Some(FileEntry(name, isFolder = false, bytes(path).length.toLong, 0))
    else if (list(path).nonEmpty) Some(FileEntry(name, isFolder = true, 0, 0))
    else None
  }

  def create(path: String): OutputFile = readOnly()
  def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = readOnly()
  def replace(path: String, bytes: Array[Byte]): Unit = readOnly()
  def copy(from: String, to: String): Unit = readOnly()
  def delete(path: String): Boolean = readOnly()
  def deleteFolder(path: String): Boolean = readOnly()

  private def readOnly(): Nothing = throw new UnsupportedOperationException("files to be read only")
}

object MemoryStorage {

  /** All files below a folder. */
  def load(folder: Path): MemoryStorage = {
    val files = Using.resource(Files.walk(folder)) { all =>
      all.iterator.asScala.filter(Files.isRegularFile(_)).map(f =>
        f.toString -> Files.readAllBytes(f)
      ).toMap
    }
    new MemoryStorage(files)
  }

  def reader(path: String, bytes: Array[Byte]): RangeReader =
    reader(path, bytes, bytes.length.toLong)

  /** A file that claims to have `size` bytes. */
  def reader(file: String, bytes: Array[Byte], size: Long): RangeReader =
    new RangeReader(file, size) {
      def maxGapBytes: Int = 64
      protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit = {
        if (offset + length > bytes.length)
          throw new java.io.EOFException(s"$file ends at ${bytes.length}")
        System.arraycopy(bytes, offset.toInt, out, outAt, length)
      }
      def close(): Unit = ()
    }
}
