// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.deletion

import scala.util.Using

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{CorruptFileException, Place, RowRange}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.DeletionFile

/** The deleted rows of a fragment: offsets of physical rows, from 0. Immutable. */
final class DeletionVector private (bitmap: RoaringBitmap) extends Serializable {

  /** Number of deleted rows. */
  def numDeletedRows: Long = bitmap.getLongCardinality

  /** Whether the row at this offset is deleted. */
  def isDeleted(offset: Long): Boolean =
    offset >= 0 && offset <= 0xffffffffL && bitmap.contains(offset.toInt)

  /** Number of deleted rows among `rows`. */
  def numDeletedIn(rows: RowRange): Long = bitmap.rangeCardinality(rows.from, rows.until)

  /** The deleted rows among `rows`, ascending, counted from the first row of the range. */
  def deletedIn(rows: RowRange): Array[Int] = {
    val found = Array.newBuilder[Int]
    val it = bitmap.getIntIterator
    if (rows.from <= 0xffffffffL) {
      it.advanceIfNeeded(rows.from.toInt)
      var more = it.hasNext
      while (more) {
        val offset = it.next() & 0xffffffffL
        if (offset < rows.until) found += (offset - rows.from).toInt
        more = offset < rows.until && it.hasNext
      }
    }
    found.result()
  }

  /** The runs of rows of a range that are not deleted, ascending. */
  def liveRanges(rows: RowRange): Iterator[RowRange] = new Iterator[RowRange] {
    private var from = nextLive(rows.from)

    def hasNext: Boolean = from < rows.until

    def next(): RowRange = {
      val until = bitmap.nextValue(from.toInt) match {
        case -1L => rows.until
        case deleted => math.min(deleted, rows.until)
      }
      val run = RowRange(from, until)
      from = nextLive(until)
      run
    }

    private def nextLive(at: Long): Long =
      if (at >= rows.until) rows.until else bitmap.nextAbsentValue(at.toInt)
  }
}

object DeletionVector {

  /** No row is deleted. */
  val empty: DeletionVector = new DeletionVector(new RoaringBitmap)

  /** The rows at these offsets are deleted; unsigned 32-bit, in any order. */
  def of(offsets: Array[Int]): DeletionVector =
    new DeletionVector(RoaringBitmap.bitmapOf(offsets: _*))

  /** Reads a deletion file.
    *
    * @param path where the file is
    * @param physicalRows rows of the fragment, where they are known
    * @throws CorruptFileException when the file is damaged or does not fit the fragment
    * @throws io.github.pysparklance.core.NotFoundException when there is no such file
    */
  def read(
      store: FileStore,
      path: String,
      file: DeletionFile,
      physicalRows: Option[Long]
  ): DeletionVector = Place.in(Place(path = Some(path))) {
    val bytes = Using.resource(store.open(path)) { in =>
      CorruptFileException.check(
        in.size <= maxFileBytes,
        s"corrupt deletion file: ${in.size} bytes, more than all rows of a fragment take"
      )
      in.read(0, in.size.toInt)
    }
    val bitmap = file.fileType match {
      case DeletionFile.ArrowArray => RoaringBitmap.bitmapOf(ArrowDeletionFile.decode(bytes): _*)
      case DeletionFile.Bitmap => RoaringDeletionFile.decode(bytes)
    }
    val found = bitmap.getLongCardinality
    CorruptFileException.check(
      file.numDeletedRows == 0 || file.numDeletedRows == found,
      s"corrupt deletion file: it has $found rows, the manifest says ${file.numDeletedRows}"
    )
    physicalRows.foreach { rows =>
      CorruptFileException.check(
        bitmap.isEmpty || (bitmap.last & 0xffffffffL) < rows,
        s"corrupt deletion file: it deletes row ${bitmap.last & 0xffffffffL} of a fragment of $rows rows"
      )
    }
    new DeletionVector(bitmap)
  }

  private val maxFileBytes = 1L << 30
}
