// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.FileNotFoundException
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedDeque, ConcurrentLinkedQueue}

import org.apache.hadoop.fs.FSDataInputStream

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.storage.spi.RangeReader

/** Reads ranges through streams of Hadoop: one to begin with, and more where reads meet and the client would make one
  * wait for the other. Ranges that are asked for together are on their way together.
  *
  * @param open opens a stream; the first one at once, so that a missing file is noticed
  * @param maxStreams streams at a time; further reads share the first
  */
final private[hadoop] class HadoopRangeReader(
    path: String,
    size: Long,
    open: () => FSDataInputStream,
    maxStreams: Int
) extends RangeReader(path, size) {
  private val first = open()
  private val opened = new AtomicInteger(1)
  private val idle = new ConcurrentLinkedDeque[FSDataInputStream]
  private val streams = new ConcurrentLinkedQueue[FSDataInputStream]
  @volatile private var isClosed = false
  idle.add(first)
  streams.add(first)

  // A request to an object store costs about as much as this many bytes.
  def maxGapBytes: Int = 128 << 10

  protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
    try
      take() match {
        case None => first.readFully(offset, out, outAt, length)
        case Some(stream) =>
          try stream.readFully(offset, out, outAt, length)
          finally idle.addFirst(stream)
      }
    catch {
      // Clients of object stores open a file of known size when it is read.
      case e: FileNotFoundException =>
        throw new NotFoundException("file", Place(path = Some(path)), e)
    }

  /** A stream that nobody reads from; none when there are enough of them. */
  private def take(): Option[FSDataInputStream] = Option(idle.pollFirst()).orElse {
    if (opened.get < maxStreams && opened.incrementAndGet() <= maxStreams) Some(another())
    else None
  }

  private def another(): FSDataInputStream = {
    val stream = open()
    streams.add(stream)
    if (isClosed) stream.close()
    stream
  }

  def close(): Unit = {
    isClosed = true
    streams.forEach(_.close())
  }
}

private[hadoop] object HadoopRangeReader {

  /** Requests for one file that an object store gets at a time. */
  val maxStreams: Int = 4
}
