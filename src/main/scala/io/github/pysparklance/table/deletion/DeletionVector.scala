// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.deletion

import java.util.UUID

import scala.util.Using

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Checked, CorruptFileException, Place, RowRange, RowSelection}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.DeletionFile

/** The deleted rows of a fragment, as 0-based offsets of physical rows. Immutable. */
final class DeletionVector private (bitmap: RoaringBitmap) extends Serializable {

  /** Number of deleted rows. */
  def numDeletedRows: Long = bitmap.getLongCardinality

  /** Whether the row at an offset is deleted. */
  def isDeleted(offset: Long): Boolean =
    offset >= 0 && offset <= 0xffffffffL && bitmap.contains(offset.toInt)

  /** Returns the number of deleted rows among `rows`. */
  def numDeletedIn(rows: RowRange): Long = bitmap.rangeCardinality(rows.from, rows.until)

  /** Returns the number of deleted rows in a set of rows. */
  def numDeletedOf(rows: RoaringBitmap): Long =
    RoaringBitmap.andCardinality(bitmap, rows) & 0xffffffffL

  /** Returns the deleted rows among `rows`, ascending, relative to the first row of the range. */
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

  /** Whether no row is deleted. */
  def isEmpty: Boolean = bitmap.isEmpty

  /** Returns the rows that are deleted in either vector. */
  def union(other: DeletionVector): DeletionVector =
    new DeletionVector(RoaringBitmap.or(bitmap, other.roaring))

  /** Returns the rows that are deleted in this vector but not in the other. */
  def minus(other: DeletionVector): DeletionVector =
    new DeletionVector(RoaringBitmap.andNot(bitmap, other.roaring))

  /** Whether a row is deleted in both vectors. */
  def intersects(other: DeletionVector): Boolean = RoaringBitmap.intersects(bitmap, other.roaring)

  /** The last deleted row; -1 if there is none. */
  def lastRow: Long = if (bitmap.isEmpty) -1L else bitmap.last & 0xffffffffL

  private def roaring: RoaringBitmap = bitmap

  /** The deleted rows. */
  def rows: RowSelection = RowSelection.of(new Iterator[RowRange] {
    private var from = bitmap.nextValue(0)

    def hasNext: Boolean = from >= 0

    def next(): RowRange = {
      val until = bitmap.nextAbsentValue(from.toInt)
      // Behind the last possible row there is none.
      val run = RowRange(from, if (until < 0) 1L << 32 else until)
      from = if (run.until > 0xffffffffL) -1L else bitmap.nextValue(run.until.toInt)
      run
    }
  }.toIndexedSeq)

  /** Writes a new deletion file for a fragment.
    *
    * @param root root of the table or branch; the file is written below it even if the table has
    *   base paths
    * @param readVersion the version that the deletion was computed on
    */
  private[table] def write(
      store: FileStore,
      root: TablePath,
      fragmentId: Long,
      readVersion: Long
  ): DeletionFile = {
    val isSmall = numDeletedRows <= DeletionVector.maxArrowRows
    val bytes =
      if (isSmall) ArrowDeletionFile.encode(bitmap.toArray) else RoaringDeletionFile.encode(bitmap)
    val fileType = if (isSmall) DeletionFile.ArrowArray else DeletionFile.Bitmap
    val uuid = UUID.randomUUID()
    // Each half of a UUID has fixed bits. Combining the halves gives 64 random bits.
    val id =
      uuid.getMostSignificantBits ^ java.lang.Long.rotateLeft(uuid.getLeastSignificantBits, 32)
    val file = DeletionFile(fileType, readVersion, id, numDeletedRows, baseId = None)
    val out = store.create(root.resolve(file.path(fragmentId)))
    try {
      out.write(bytes)
      out.close()
    } finally out.abort() // does nothing after close
    file
  }

  /** Returns the live rows of a range with the given ranks. The rank of a row is the number of live
    * rows before it in the range.
    *
    * @param ranks ascending, below the number of live rows
    */
  def rowsOfRanks(ranks: Array[Long], rows: RowRange): Array[Long] = {
    val found = new Array[Long](ranks.length)
    val runs = liveRanges(rows)
    var at = 0
    var before = 0L
    while (at < ranks.length) {
      val run = runs.next()
      while (at < ranks.length && ranks(at) - before < run.numRows) {
        found(at) = run.from + ranks(at) - before
        at += 1
      }
      before += run.numRows
    }
    found
  }

  /** Returns the runs of live rows in a range, ascending. */
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

  /** No deleted rows. */
  val empty: DeletionVector = new DeletionVector(new RoaringBitmap)

  /** All rows of a fragment are deleted, so that the fragment is removed. */
  def all(numRows: Long): DeletionVector =
    new DeletionVector(RoaringBitmap.bitmapOfRange(0L, numRows))

  /** Creates a vector of the rows at these offsets, unsigned 32-bit and in any order. */
  def of(offsets: Array[Int]): DeletionVector =
    new DeletionVector(RoaringBitmap.bitmapOf(offsets: _*))

  /** Creates a vector of the rows in a bitmap, which must not be modified afterwards. */
  private[pysparklance] def of(bitmap: RoaringBitmap): DeletionVector = new DeletionVector(bitmap)

  /** Reads a deletion file.
    *
    * @param path path of the file
    * @param physicalRows rows of the fragment, if known
    * @throws CorruptFileException if the file is damaged or does not match the fragment
    * @throws io.github.pysparklance.core.NotFoundException if the file does not exist
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
        s"corrupt deletion file: ${in.size} bytes exceed the maximum for a fragment"
      )
      in.read(0, Checked.int(in.size, "bytes of the deletion file"))
    }
    val bitmap = file.fileType match {
      case DeletionFile.ArrowArray => RoaringBitmap.bitmapOf(ArrowDeletionFile.decode(bytes): _*)
      case DeletionFile.Bitmap => RoaringDeletionFile.decode(bytes)
    }
    val found = bitmap.getLongCardinality
    CorruptFileException.check(
      file.numDeletedRows == 0 || file.numDeletedRows == found,
      s"corrupt deletion file: it has $found rows, but the manifest declares ${file.numDeletedRows}"
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

  /** Maximum number of deleted rows in an Arrow file. More are written as a bitmap. */
  private val maxArrowRows = 5000
}
