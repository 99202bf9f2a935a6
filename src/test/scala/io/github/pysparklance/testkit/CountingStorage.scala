// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.spi.{
  FileEntry,
  FileStore,
  ForwardingFileStore,
  FoundFile,
  OutputFile,
  RangeReader
}

/** Counts the requests to another storage, to test the cost of operations. */
final class CountingStorage(inner: FileStore = Storage.local) extends ForwardingFileStore(inner) {

  /** Number of open files. */
  def numOpen: Int = opens.get - closes.get

  /** The most files that were open at a time. */
  val mostOpen = new AtomicInteger

  val opens = new AtomicInteger
  val closes = new AtomicInteger
  val reads = new AtomicInteger
  val bytesRead = new AtomicLong
  val lists = new AtomicInteger
  val statuses = new AtomicInteger
  val creates = new AtomicInteger
  val createsIfAbsent = new AtomicInteger
  val deletes = new AtomicInteger

  override def open(path: String): RangeReader = counted(inner.open(path))

  override def open(path: String, sizeBytes: Long): RangeReader =
    counted(inner.open(path, sizeBytes))

  private def counted(reader: RangeReader): RangeReader = {
    opens.incrementAndGet()
    mostOpen.accumulateAndGet(numOpen, math.max(_, _))
    new RangeReader(reader.path, reader.size) {
      def maxGapBytes: Int = 4096
      protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit = {
        reads.incrementAndGet()
        bytesRead.addAndGet(length.toLong)
        reader.readInto(offset, out, outAt, length)
      }
      def close(): Unit = {
        closes.incrementAndGet()
        reader.close()
      }
    }
  }

  override def create(path: String): OutputFile = {
    creates.incrementAndGet()
    inner.create(path)
  }

  override def createIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
    createsIfAbsent.incrementAndGet()
    inner.createIfAbsent(path, bytes)
  }

  override def replace(path: String, bytes: Array[Byte]): Unit = {
    creates.incrementAndGet()
    inner.replace(path, bytes)
  }

  override def replaceUnsynced(path: String, bytes: Array[Byte]): Unit = {
    creates.incrementAndGet()
    inner.replaceUnsynced(path, bytes)
  }

  override def copy(from: String, to: String): Unit = {
    creates.incrementAndGet()
    inner.copy(from, to)
  }

  override def list(folder: String): IndexedSeq[FileEntry] = {
    lists.incrementAndGet()
    inner.list(folder)
  }

  override def listNames(folder: String): IndexedSeq[String] = {
    lists.incrementAndGet()
    inner.listNames(folder)
  }

  override def listInOrder(folder: String): Iterator[FileEntry] = {
    lists.incrementAndGet()
    inner.listInOrder(folder)
  }

  override def listFiles(folder: String): Iterator[FoundFile] = {
    lists.incrementAndGet()
    inner.listFiles(folder)
  }

  override def status(path: String): Option[FileEntry] = {
    statuses.incrementAndGet()
    inner.status(path)
  }

  override def delete(path: String): Boolean = {
    deletes.incrementAndGet()
    inner.delete(path)
  }

  override def deleteAll(paths: Seq[String]): Unit = {
    deletes.incrementAndGet()
    inner.deleteAll(paths)
  }

  override def deleteFolder(path: String): Boolean = {
    deletes.incrementAndGet()
    inner.deleteFolder(path)
  }
}
