// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.spi._

/** Zones in index files. */
private[scalar] object Zones {

  /** The metadata entry that names the global buffer with the null rows. */
  val nullBitmap: String = "null_bitmap"

  /** Zones per write. */
  val batchRows: Int = 4096

  /** The columns with the location of a zone. */
  val columns: Seq[String] = Seq("fragment_id", "zone_start", "zone_length")

  /** [[columns]] as fields. */
  def fields: IndexedSeq[Field] = columns.map(NewSegment.unsigned(_, 64)).toIndexedSeq

  /** Returns the null rows of a segment that go into the merged segment.
    *
    * @throws UnsupportedFeatureException if the segment does not record null rows
    */
  def nulls(file: DescribedFile, source: SegmentSource): RowSet = {
    val all = IndexFiles.rowSet(file, nullBitmap).getOrElse(
      throw new UnsupportedFeatureException(
        "merging an index of an early release, which does not record null rows; create it again"
      )
    )
    RowSet.of(all.uppers.filter(source.rows.keepsFragment).map(id => id -> all.part(id)))
  }

  /** Reads the zones of a batch, whose first columns are [[columns]]. */
  def of(batch: IndexedSeq[Column]): IndexedSeq[Zone] = {
    val (fragments, starts, lengths) =
      (Numbers.of(batch(0)), Numbers.of(batch(1)), Numbers.of(batch(2)))
    (0 until batch.head.numRows).map { i =>
      val (fragment, start, length) = (fragments(i), starts(i), lengths(i))
      CorruptFileException.check(
        fragment >>> 32 == 0 && start >= 0 && length >= 0 && start <= (1L << 32) - length,
        s"a zone of $length rows at row $start of fragment ${java.lang.Long.toUnsignedString(fragment)}"
      )
      Zone(fragment, RowRange(start, start + length))
    }
  }

  /** Returns all rows of zones. */
  def rows(zones: Iterable[Zone]): RowSet = {
    val parts =
      zones.filterNot(_.rows.isEmpty).groupBy(_.fragmentId).iterator.map { case (id, its) =>
        val bitmap = new org.roaringbitmap.RoaringBitmap
        its.foreach(z => bitmap.add(z.rows.from, z.rows.until))
        id -> bitmap
      }
    RowSet.of(parts)
  }
}

/** Splits rows into zones. A zone is a run with a fixed number of live rows of a fragment. It
  * includes the deleted rows in between.
  */
abstract private[scalar] class ZoneBuilder(rowsPerZone: Int) extends SegmentBuilder {
  private var first = 0L
  private var last = 0L
  private var numRows = 0

  /** Returns a function that adds a row of a batch to the zone. */
  protected def start(batch: IndexBatch): Int => Unit

  /** Writes the zone, and starts the next one. */
  protected def end(zone: Zone): Unit

  /** Writes the file. */
  protected def write(): Unit

  final def add(batch: IndexBatch): Unit = {
    val take = start(batch)
    batch.foreachLive { row =>
      val address = batch.ids(row)
      if (numRows == rowsPerZone || numRows > 0 && address >>> 32 != first >>> 32) endZone()
      if (numRows == 0) first = address
      last = address
      numRows += 1
      take(row)
    }
  }

  private def endZone(): Unit = {
    val start = first & 0xffffffffL
    end(Zone(first >>> 32, RowRange(start, start + last - first + 1)))
    numRows = 0
  }

  final def finish(): Unit = {
    if (numRows > 0) endZone()
    write()
  }
}

/** Collects the columns with the locations of zones. */
final private[scalar] class ZoneColumns {
  private val all = IndexedSeq.fill(Zones.columns.length)(new LongValues)

  def append(zone: Zone): Unit = {
    all(0).append(zone.fragmentId)
    all(1).append(zone.rows.from)
    all(2).append(zone.rows.numRows)
  }

  def numRows: Int = all.head.numItems

  /** The zones so far. Valid until the next call. */
  def columns: IndexedSeq[Column] = all.map(LeafColumn(_, null))

  def clear(): Unit = all.foreach(_.clear())
}
