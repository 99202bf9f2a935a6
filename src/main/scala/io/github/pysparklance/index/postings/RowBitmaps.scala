// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.postings

import org.roaringbitmap.buffer.ImmutableRoaringBitmap
import org.roaringbitmap.{InvalidRoaringFormat, RoaringBitmap}

import io.github.pysparklance.core.{Buffer, CorruptFileException}
import io.github.pysparklance.index.spi.RowSet

/** Rows with the same upper half, as a bitmap of their lower halves.
  *
  * @param bitmap bitmap in the portable Roaring format
  */
final case class RowBitmap(upper: Long, bitmap: Buffer) {

  /** @throws CorruptFileException if the bytes are not a bitmap */
  def rows: RoaringBitmap = RowBitmaps.checked {
    val found = new RoaringBitmap
    found.deserialize(bitmap.toByteBuffer)
    found
  }
}

/** The two formats of row sets in index files: treemaps and row address maps. Reads and writes them
  * without decoding their bitmaps.
  *
  * {{{
  *   treemap           count: u64   for each upper half:  upper: u32                 bitmap
  *   row address map   count: u32   for each upper half:  upper: u32   bytes: u32    bitmap, none for all rows
  * }}}
  */
sealed abstract class RowBitmaps extends Serializable {

  /** Reads the bitmaps in ascending order of their upper halves. They share the given bytes.
    *
    * @throws CorruptFileException if the bytes do not have this format
    */
  final def read(bytes: Buffer): IndexedSeq[RowBitmap] = RowBitmaps.checked {
    val found = IndexedSeq.newBuilder[RowBitmap]
    var at = headBytes
    var left = count(bytes)
    CorruptFileException.check(left >= 0, s"$left bitmaps in ${bytes.length} bytes")
    while (left > 0) {
      val upper = bytes.u32(at)
      val from = at + partHeadBytes
      val length = lengthOf(bytes, at, left == 1)
      val bitmap = bytes.slice(from.toLong, length.toLong)
      found += (if (length == 0) withoutBitmap(upper) else RowBitmap(upper, bitmap))
      at = from + length
      left -= 1
    }
    found.result().sortBy(_.upper)
  }

  /** Writes bitmaps with ascending upper halves. */
  final def write(bitmaps: Seq[RowBitmap], out: ByteSink): Unit = {
    writeCount(bitmaps.length, out)
    bitmaps.foreach { part =>
      val end = writePartHead(part.upper, out)
      out.put(part.bitmap.array, part.bitmap.offset, part.bitmap.length)
      end()
    }
  }

  /** Writes the rows of a list. */
  final def write(rows: RowList, encoder: RoaringEncoder, out: ByteSink): Unit = {
    val start = out.length
    writeCount(0, out)
    var numParts = 0
    var upper = -1L
    def endPart(): Unit = if (upper >= 0) {
      val end = writePartHead(upper, out)
      encoder.finish(out)
      end()
      numParts += 1
    }
    rows.foreach { row =>
      if (row >>> 32 != upper) {
        endPart()
        upper = row >>> 32
      }
      encoder.add(row.toInt)
    }
    endPart()
    out.setInt(start, numParts)
  }

  /** Returns the rows of an upper half whose bitmap is missing. */
  protected def withoutBitmap(upper: Long): RowBitmap

  protected def headBytes: Int
  protected def partHeadBytes: Int
  protected def count(bytes: Buffer): Long
  protected def lengthOf(bytes: Buffer, at: Int, isLast: Boolean): Int
  protected def writeCount(count: Int, out: ByteSink): Unit

  /** Writes the head of a bitmap. Returns a function that completes it after the bitmap is written.
    */
  protected def writePartHead(upper: Long, out: ByteSink): () => Unit
}

/** The formats of row sets, and functions on them. */
object RowBitmaps {

  /** A treemap, see [[RowBitmaps]]. */
  object Treemap extends RowBitmaps {
    protected def withoutBitmap(upper: Long): RowBitmap =
      throw new CorruptFileException(s"a treemap without a bitmap for $upper")

    protected def headBytes: Int = 8
    protected def partHeadBytes: Int = 4
    protected def count(bytes: Buffer): Long = bytes.i64(0)

    protected def lengthOf(bytes: Buffer, at: Int, isLast: Boolean): Int = {
      val from = at + partHeadBytes
      if (isLast) bytes.length - from
      else
        new ImmutableRoaringBitmap(
          bytes.slice(from.toLong, bytes.length.toLong - from).toByteBuffer
        ).serializedSizeInBytes
    }

    protected def writeCount(count: Int, out: ByteSink): Unit = out.putLong(count.toLong)

    protected def writePartHead(upper: Long, out: ByteSink): () => Unit = {
      out.putInt(upper.toInt)
      () => ()
    }
  }

  /** A row address map, see [[RowBitmaps]]. */
  object AddressMap extends RowBitmaps {
    protected def withoutBitmap(upper: Long): RowBitmap = RowBitmap(upper, allRows)

    /** All rows of a fragment. Shared, because it takes a megabyte. */
    private lazy val allRows = encoded(0L, RoaringBitmap.bitmapOfRange(0L, 1L << 32)).bitmap

    protected def headBytes: Int = 4
    protected def partHeadBytes: Int = 8
    protected def count(bytes: Buffer): Long = bytes.u32(0)
    protected def lengthOf(bytes: Buffer, at: Int, isLast: Boolean): Int = bytes.i32(at + 4)
    protected def writeCount(count: Int, out: ByteSink): Unit = out.putInt(count)

    protected def writePartHead(upper: Long, out: ByteSink): () => Unit = {
      out.putInt(upper.toInt)
      val at = out.zeros(4)
      () => out.setInt(at, out.length - at - 4)
    }
  }

  /** Returns the union of row sets. Decodes only bitmaps with the same upper half. */
  def union(sets: IndexedSeq[IndexedSeq[RowBitmap]]): IndexedSeq[RowBitmap] =
    if (sets.length == 1) sets.head
    else
      sets.flatten.groupBy(_.upper).toIndexedSeq.sortBy(_._1).map {
        case (_, its) if its.length == 1 => its.head
        case (upper, its) => encoded(upper, RoaringBitmap.or(its.iterator.map(_.rows).toSeq: _*))
      }

  /** Encodes a row set. */
  def of(rows: RowSet): IndexedSeq[RowBitmap] =
    rows.uppers.map(upper => encoded(upper, rows.part(upper))).toIndexedSeq

  private def encoded(upper: Long, rows: RoaringBitmap): RowBitmap = {
    val bytes = java.nio.ByteBuffer.allocate(rows.serializedSizeInBytes)
    rows.serialize(bytes)
    RowBitmap(upper, Buffer(bytes.array))
  }

  private[postings] def checked[A](read: => A): A =
    try read
    catch {
      case e @ (_: java.io.IOException | _: java.nio.BufferUnderflowException |
          _: IllegalArgumentException | _: IndexOutOfBoundsException |
          _: NegativeArraySizeException | _: InvalidRoaringFormat) =>
        throw new CorruptFileException("rows of an index that are not bitmaps", cause = e)
    }
}
