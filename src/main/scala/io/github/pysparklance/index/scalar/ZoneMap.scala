// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi._

/** The smallest and largest value of each zone of rows.
  *
  * {{{
  *   zonemap.lance   min: T?, max: T?, null_count: u32, nan_count: u32, fragment_id: u64, zone_start: u64, zone_length: u64
  * }}}
  * A zone is rows `[zone_start, zone_start + zone_length)` of a fragment, from its first live row to its last. Bounds
  * leave out nulls, not NaN; a bound that is null although the zone has values is unknown. Bounds of nested types mean
  * nothing. The metadata `null_bitmap` name the global buffer with the rows that are null; old files have none.
  *
  * Source: format page of indices, "Zone map".
  */
object ZoneMap extends ScalarIndexKind {
  def name: String = "ZONEMAP"
  def detailsType: String = "lance.table.ZoneMapIndexDetails"
  def newestVersion: Int = 0

  private val fileName = "zonemap.lance"

  /** @param bounds none: unknown */
  final private class Bounds(
      val min: Option[Key],
      val max: Option[Key],
      val numNulls: Long,
      val numNaNs: Long
  )

  def open(files: IndexFiles): ScalarSegment = files.use(fileName) { file =>
    val field = file.schema.field("min").getOrElse(
      throw new CorruptFileException("no column min", Place(path = Some(file.path)))
    )
    val keyType = KeyType.of(field.logicalType)
    val zones = IndexedSeq.newBuilder[Zone]
    val bounds = IndexedSeq.newBuilder[Bounds]
    val names = Zones.columns ++ Seq("null_count", "nan_count") ++
      (if (keyType.isEmpty) Nil else Seq("min", "max"))
    IndexFiles.foreachBatch(file, names: _*) { columns =>
      val its = Zones.of(columns)
      zones ++= its
      val (nulls, nans) = (Numbers.of(columns(3)), Numbers.of(columns(4)))
      val keys = keyType.map(t => (t.keys(columns(5)), t.keys(columns(6))))
      bounds ++= its.indices.map { i =>
        def bound(of: ((Keys, Keys)) => Keys) =
          keys.map(of).filterNot(_.isNull(i)).map(_.apply(i))
        new Bounds(bound(_._1), bound(_._2), nulls(i), nans(i))
      }
    }
    new Segment(
      keyType.map(_ => field.logicalType),
      zones.result(),
      bounds.result(),
      IndexFiles.rowSet(file, "null_bitmap")
    )
  }

  final private class Segment(
      val valueType: Option[LogicalType],
      val zones: IndexedSeq[Zone],
      bounds: IndexedSeq[Bounds],
      nulls: Option[RowSet]
  ) extends ZonedSegment {

    def answer(files: IndexFiles, predicate: IndexPredicate): Option[SegmentAnswer] =
      predicate match {
        case IndexPredicate.Within(ranges, _) if valueType.nonEmpty =>
          Some(SegmentAnswer.AtMost(rows { (zone, bound) =>
            // the largest of the other values is unknown where there are NaNs
            zone.rows.numRows > bound.numNulls &&
            (bound.numNaNs > 0 || ranges.overlaps(bound.min, bound.max))
          }))
        case IndexPredicate.IsNull =>
          Some(nulls match {
            case Some(rows) => new SegmentAnswer.Exact(rows, RowSet.empty)
            case None => SegmentAnswer.AtMost(rows((_, bound) => bound.numNulls > 0))
          })
        case _ => None
      }

    private def rows(accepts: (Zone, Bounds) => Boolean): RowSet =
      Zones.rows(zones.indices.filter(i => accepts(zones(i), bounds(i))).map(zones))

    def sizeInBytes: Long = zones.length * 240L + nulls.fold(0L)(_.sizeInBytes)
  }
}

/** Zones of index files. */
private[scalar] object Zones {

  /** The columns that say where a zone is. */
  val columns: Seq[String] = Seq("fragment_id", "zone_start", "zone_length")

  /** The zones of a batch, whose first columns are [[columns]]. */
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

  /** All rows of some zones. */
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
