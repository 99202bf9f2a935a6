// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import java.io.{EOFException, IOException, InterruptedIOException}
import java.nio.channels.ClosedChannelException

import io.github.pysparklance.core.{Buffer, ByteRange, CorruptFileException, Place, Values}
import io.github.pysparklance.storage.requests.{
  ByteSource,
  CoalescedRead,
  RangeCoalescing,
  SpareArrays,
  StartedRead,
  StorageProfile
}

/** Storage failed to read a range of a file. */
final class RangeReadException(path: String, offset: Long, length: Int, cause: IOException)
    extends IOException(
      s"$path, the $length bytes at $offset cannot be read: ${cause.getMessage}",
      cause
    )

/** Reads byte ranges of one open file. Files never change while they are open. Thread-safe.
  *
  * If a range exceeds the file, or the file is shorter than its size, throws
  * [[CorruptFileException]]. If the storage fails, throws `java.io.IOException`.
  *
  * @param path the file, for error messages
  * @param size length in bytes
  */
abstract class RangeReader(val path: String, val size: Long) extends ByteSource with AutoCloseable {

  /** Largest gap between two ranges, in bytes, that is read rather than skipped. */
  def maxGapBytes: Int

  /** Characteristics of the storage that holds the file. */
  def profile: StorageProfile = StorageProfile.local

  /** The storage client, used as cache key: a file of the same origin, path, and size has the same
    * bytes. `None` if caching is not worthwhile, as on local disks.
    */
  def origin: Option[AnyRef] = None

  /** Reads `length` bytes at `offset` into `out` from index `outAt` on. The range lies in the file.
    *
    * @throws java.io.EOFException if the file is shorter than its size
    */
  protected def readFully(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit

  /** Reads `length` bytes at `offset` into `out` from index `outAt` on. */
  final def readInto(offset: Long, out: Array[Byte], outAt: Int, length: Int): Unit = {
    checkInside(offset, length.toLong)
    if (length > 0)
      try readFully(offset, out, outAt, length)
      catch {
        case e: EOFException =>
          val problem =
            s"the file ends within the $length bytes at $offset, but its expected size is $size"
          throw new CorruptFileException(problem, place(offset), e)
        // These exceptions name the cause already.
        case e @ (_: RangeReadException | _: InterruptedIOException | _: ClosedChannelException) =>
          throw e
        case e: IOException => throw new RangeReadException(path, offset, length, e)
      }
  }

  /** Reads `length` bytes at `offset`. */
  final def read(offset: Long, length: Int): Array[Byte] = {
    checkInside(offset, length.toLong)
    val out = new Array[Byte](length)
    readInto(offset, out, 0, length)
    out
  }

  /** Reads one range. */
  final def read(range: ByteRange): Buffer = readRanges(IndexedSeq(range)).head

  /** Reads the last `length` bytes, or the whole file if it is shorter. */
  final def readTail(length: Int): Array[Byte] = {
    val range = tailRange(length)
    read(range.offset, range.length.toInt)
  }

  /** The range of the last `length` bytes, or the whole file if it is shorter. */
  final def tailRange(length: Int): ByteRange = {
    val n = math.min(length.toLong, size)
    ByteRange(size - n, n)
  }

  /** Reads many ranges with few requests. On remote storage the requests run in parallel.
    *
    * @param ranges ranges in any order; they may overlap or be empty
    * @return one buffer per range, in the order of `ranges`; buffers may share an array
    */
  final def readRanges(ranges: IndexedSeq[ByteRange]): IndexedSeq[Buffer] = {
    ranges.foreach(r => checkInside(r.offset, r.length))
    val buffers = Array.fill(ranges.length)(Buffer.empty)
    val plan = RangeCoalescing.plan(ranges, maxGapBytes.toLong, profile.maxRequestBytes.toLong)
    val isOneRequest = plan.length <= 1 && plan.forall(_.range.length <= profile.maxRequestBytes)
    val reads =
      if (isOneRequest || !profile.isRemote) plan.iterator.map(readNow)
      else plan.map(new StartedRead(this, _)).iterator.map(_.await())
    plan.iterator.zip(reads).foreach { case (read, bytes) =>
      read.members.foreach { i =>
        buffers(i) = bytes.slice(ranges(i).offset - read.range.offset, ranges(i).length)
      }
    }
    buffers.toIndexedSeq
  }

  private def readNow(read: CoalescedRead): Buffer = {
    val bytes = arrayFor(read.range, SpareArrays.none)
    read.pieces(profile.maxRequestBytes).foreach { piece =>
      readInto(piece.offset, bytes, (piece.offset - read.range.offset).toInt, piece.length.toInt)
    }
    Buffer(bytes)
  }

  private[storage] def arrayFor(range: ByteRange, spare: SpareArrays): Array[Byte] = {
    checkInside(range.offset, range.length)
    if (range.length > Values.maxArrayLength) {
      val problem =
        s"a read of ${range.length} bytes exceeds the array limit of ${Values.maxArrayLength}"
      throw new CorruptFileException(problem, place(range.offset))
    }
    spare.take(range.length.toInt)
  }

  private def checkInside(offset: Long, length: Long): Unit =
    if (offset < 0 || length < 0 || length > size - offset) {
      val problem = s"$length bytes at offset $offset exceed a file of $size bytes"
      throw new CorruptFileException(problem, place(offset))
    }

  private def place(offset: Long): Place =
    Place(path = Some(path), offsetBytes = Some(offset))
}
