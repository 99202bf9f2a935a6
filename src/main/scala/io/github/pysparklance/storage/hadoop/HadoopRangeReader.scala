// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.hadoop

import java.io.FileNotFoundException
import java.util.concurrent.ConcurrentLinkedDeque

import org.apache.hadoop.fs.FSDataInputStream

import io.github.pysparklance.core.{NotFoundException, Place}
import io.github.pysparklance.storage.requests.StorageProfile
import io.github.pysparklance.storage.spi.RangeReader

/** Reads ranges through Hadoop streams. Opens one stream at first. If the client serializes reads
  * of a stream, opens one more for each concurrent read.
  *
  * @param open opens a stream; called once in the constructor to detect a missing file
  * @param client identifies Hadoop's client of one user and one configuration
  * @param sharesStreams whether several threads can read one stream in parallel
  */
final private[hadoop] class HadoopRangeReader(
    path: String,
    size: Long,
    open: () => FSDataInputStream,
    client: AnyRef,
    sharesStreams: Boolean
) extends RangeReader(path, size) {
  private val first = open()
  private val idle = new ConcurrentLinkedDeque[FSDataInputStream]
  @volatile private var isClosed = false
  if (!sharesStreams) idle.add(first)

  // A request to an object store costs about as much as transferring this many bytes.
  def maxGapBytes: Int = 128 << 10

  override def profile: StorageProfile = StorageProfile.remote

  override def origin: Option[AnyRef] = Some(client)

  protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit =
    try
      if (sharesStreams) first.readFully(offset, out, outAt, length)
      else {
        val stream = Option(idle.pollFirst()).getOrElse(open())
        try stream.readFully(offset, out, outAt, length)
        finally giveBack(stream)
      }
    catch {
      // Clients of object stores open a file of known size only on its first read.
      case e: FileNotFoundException =>
        throw new NotFoundException("file", Place(path = Some(path)), e)
    }

  private def giveBack(stream: FSDataInputStream): Unit = {
    // Clients keep a connection open in case the next read continues where this one ended.
    try stream.unbuffer()
    catch { case _: UnsupportedOperationException => () }
    idle.addFirst(stream)
    if (isClosed) closeIdle()
  }

  /** Closes idle streams. Streams in use are closed when their read ends. */
  def close(): Unit = {
    isClosed = true
    if (sharesStreams) first.close() else closeIdle()
  }

  private def closeIdle(): Unit =
    Iterator.continually(idle.pollFirst()).takeWhile(_ != null).foreach(_.close())
}
