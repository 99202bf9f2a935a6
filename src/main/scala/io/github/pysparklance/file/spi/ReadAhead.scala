// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import java.nio.BufferUnderflowException

import scala.collection.mutable

import io.github.pysparklance.core.{Buffer, ByteRange, CorruptFileException}
import io.github.pysparklance.storage.spi.{
  RangeCache,
  RangeCoalescing,
  RangeReader,
  SpareArrays,
  StartedRead
}

/** Reads ranges of one file in the background. Requests gather until [[submit]], which sorts them, merges near ones
  * and hands them to the threads that all readers of the process share. Who awaits a range that no thread has begun
  * to read reads it itself. Used by one thread at a time.
  *
  * @param maxGapBytes gaps up to this between wanted ranges are read along
  * @param maxBytesAhead bytes that all columns together may ask for ahead of what they decode; 0: each column asks for
  *   its next window, and for no more
  */
final private[pysparklance] class ReadAhead(
    reader: RangeReader,
    maxGapBytes: Long,
    val maxBytesAhead: Long = 0L
) extends AutoCloseable {

  def this(reader: RangeReader) = this(reader, reader.maxGapBytes.toLong)

  /** Bytes asked for that nobody has begun to decode. The columns keep count of them. */
  var bytesAhead: Long = 0L

  private val gathered = mutable.ArrayBuffer.empty[RangeRequest]
  private var pages = 0L
  private val running = mutable.ArrayBuffer.empty[StartedRead]
  private val spare = new SpareArrays(ReadAhead.maxSpareArrays, ReadAhead.maxSpareBytes)

  /** Whether bytes are asked for long before they are wanted. */
  def isDeep: Boolean = maxBytesAhead > 0

  /** Asks for a range; nothing is read before [[submit]]. */
  def request(range: ByteRange): RangeRequest = gather(new RangeRequest(range))

  /** Asks for a range that readers to come want, too; it is there at once when an earlier one has read it. */
  def requestKept(range: ByteRange): RangeRequest =
    RangeCache.shared.get(reader, range) match {
      case None => gather(new RangeRequest(range, keep = RangeCache.shared.put(reader, range, _)))
      case known => new RangeRequest(range, known)
    }

  private def gather(request: RangeRequest): RangeRequest = {
    if (request.range.length > 0) gathered += request
    request
  }

  /** Whether a range is there at once, as an earlier reader has read it. */
  def isKept(range: ByteRange): Boolean = RangeCache.shared.get(reader, range).isDefined

  /** Decodes what was read. Decoders check it; what slips through is reported as damage, too. Bytes that turn out to be
    * damaged are not kept for readers to come.
    */
  def decoding[A](body: => A): A = RangeCache.shared.forgettingDamage(reader) {
    try body
    catch {
      case e @ (_: IndexOutOfBoundsException | _: NegativeArraySizeException | _: ArithmeticException |
          _: BufferUnderflowException) =>
        throw new CorruptFileException(s"its bytes contradict one another ($e)", cause = e)
    }
  }

  /** Notes that a page is begun. */
  def beginPage(): Unit = pages += 1

  /** Pages begun. */
  def numPages: Long = pages

  /** Starts to read all that was asked for. */
  def submit(): Unit = if (gathered.nonEmpty) {
    val unfinished = running.filterNot(_.isDone)
    running.clear()
    running ++= unfinished
    val ranges = gathered.iterator.map(_.range).toIndexedSeq
    val plan = RangeCoalescing.plan(ranges, maxGapBytes, reader.pace.maxReadBytes.toLong)
    plan.foreach { read =>
      val started = new StartedRead(reader, read, spare)
      read.members.foreach(i => gathered(i).assign(started))
      running += started
    }
    gathered.clear()
  }

  /** Gives up what is not being read yet. Reads under way end by themselves. */
  def close(): Unit = {
    gathered.clear()
    running.foreach(_.cancel())
    running.clear()
  }
}

private object ReadAhead {

  /** As many as a column reads at a time. */
  val maxSpareArrays = 3

  /** Of an array: windows are smaller, but for those of a single row. */
  val maxSpareBytes: Int = 2 << 20
}

/** A range that was asked for.
  *
  * @param known the bytes, where they need not be read
  * @param keep is told what was read
  */
final private[pysparklance] class RangeRequest(
    val range: ByteRange,
    known: Option[Buffer] = None,
    keep: Buffer => Unit = _ => ()
) {
  private var read: StartedRead = null

  private[spi] def assign(read: StartedRead): Unit = this.read = read

  /** Whether [[await]] may be called. */
  def isSubmitted: Boolean = range.length == 0 || known.isDefined || read != null

  /** Whether [[await]] answers at once. */
  def isDone: Boolean =
    range.length == 0 || known.isDefined || (read != null && read.isDone)

  /** The bytes, which were submitted before. What went wrong with reading them is raised here. */
  def await(): Buffer =
    if (range.length == 0) Buffer.empty
    else
      known.getOrElse {
        val bytes = read.await().slice(range.offset - read.range.offset, range.length)
        keep(bytes)
        bytes
      }

  /** Gives the bytes back, which nobody looks at any more. Called once at most, after [[await]]. */
  def release(): Unit = if (read != null) read.release()
}
