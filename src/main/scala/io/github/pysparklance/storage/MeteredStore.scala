// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage

import java.util.concurrent.atomic.LongAdder

import io.github.pysparklance.storage.hadoop.ThreadStatistics
import io.github.pysparklance.storage.requests.StorageProfile
import io.github.pysparklance.storage.spi.{FileStore, ForwardingFileStore, RangeReader}

/** Counts the reads of a [[MeteredStore]]. Thread-safe. */
final class ReadMeter {
  private val requestCount = new LongAdder
  private val byteCount = new LongAdder
  private val nanoCount = new LongAdder
  private val countedByteCount = new LongAdder
  @volatile private var watched = Option.empty[Thread]

  /** Number of reads. */
  def requests: Long = requestCount.sum

  /** Number of bytes read. */
  def bytes: Long = byteCount.sum

  /** Time spent in reads, summed over all threads. */
  def nanos: Long = nanoCount.sum

  /** Bytes of these reads that Hadoop's statistics counted for the watched thread. */
  def countedBytes: Long = countedByteCount.sum

  /** Compares reads of this thread, and of no other, with Hadoop's statistics from now on. */
  def watch(thread: Thread): Unit = if (!watched.contains(thread)) watched = Some(thread)

  private[storage] def reading(bytes: Long)(read: => Unit): Unit = {
    val isWatched = watched.contains(Thread.currentThread)
    val before = if (isWatched) ThreadStatistics.bytesRead else 0L
    val started = System.nanoTime()
    read
    requestCount.increment()
    byteCount.add(bytes)
    nanoCount.add(System.nanoTime() - started)
    if (isWatched) countedByteCount.add(ThreadStatistics.bytesRead - before)
  }
}

/** A store that counts its reads. */
final class MeteredStore(store: FileStore, meter: ReadMeter) extends ForwardingFileStore(store) {

  override def open(path: String): RangeReader = new MeteredReader(store.open(path), meter)

  override def open(path: String, sizeBytes: Long): RangeReader =
    new MeteredReader(store.open(path, sizeBytes), meter)
}

/** Counts the reads of one file. */
final private class MeteredReader(reader: RangeReader, meter: ReadMeter)
    extends RangeReader(reader.path, reader.size) {

  def maxGapBytes: Int = reader.maxGapBytes

  override def profile: StorageProfile = reader.profile

  override def origin: Option[AnyRef] = reader.origin

  protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
    meter.reading(length.toLong)(reader.readInto(offset, out, outAt, length))

  def close(): Unit = reader.close()
}
