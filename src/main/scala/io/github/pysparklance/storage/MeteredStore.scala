// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage

import java.util.concurrent.atomic.LongAdder

import io.github.pysparklance.storage.spi.{FileStore, ForwardingFileStore, RangeReader}

/** What was read through a [[MeteredStore]]. Safe for use from many threads. */
final class ReadMeter {
  private val requestCount = new LongAdder
  private val byteCount = new LongAdder
  private val nanoCount = new LongAdder

  /** Reads so far. */
  def requests: Long = requestCount.sum

  /** Bytes of these reads. */
  def bytes: Long = byteCount.sum

  /** Time they took, added up over all threads. */
  def nanos: Long = nanoCount.sum

  private[storage] def add(bytes: Long, nanos: Long): Unit = {
    requestCount.increment()
    byteCount.add(bytes)
    nanoCount.add(nanos)
  }
}

/** A store that counts what is read from it. */
final class MeteredStore(store: FileStore, meter: ReadMeter) extends ForwardingFileStore(store) {

  override def open(path: String): RangeReader = new MeteredReader(store.open(path), meter)

  override def open(path: String, sizeBytes: Long): RangeReader =
    new MeteredReader(store.open(path, sizeBytes), meter)
}

final private class MeteredReader(reader: RangeReader, meter: ReadMeter)
    extends RangeReader(reader.path, reader.size) {

  def maxGapBytes: Int = reader.maxGapBytes

  protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit = {
    val started = System.nanoTime()
    reader.readInto(offset, out, outAt, length)
    meter.add(length.toLong, System.nanoTime() - started)
  }

  def close(): Unit = reader.close()
}
