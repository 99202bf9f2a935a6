// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi._

/** A zone map index: the minimum and maximum of each zone of rows.
  *
  * {{{
  *   zonemap.lance   min: T?, max: T?, null_count: u32, nan_count: u32,
  *                   fragment_id: u64, zone_start: u64, zone_length: u64
  * }}}
  * A zone has rows `[zone_start, zone_start + zone_length)` of a fragment, from its first live row
  * to its last live row. Bounds ignore nulls but include NaN. A null bound in a zone with values is
  * unknown. Bounds of nested types are not used. The metadata entry `null_bitmap` names the global
  * buffer with the null rows. Old files do not have it.
  *
  * Source: format page of indices, "Zone map".
  */
object ZoneMap extends GatheredIndexKind {
  def name: String = "ZONEMAP"
  def detailsType: String = "lance.table.ZoneMapIndexDetails"
  def latestVersion: Int = 0

  override def isByAddress: Boolean = true

  /** Files of old releases do not record null rows. */
  override def isMergeable(files: IndexFiles): Boolean =
    files.use(fileName)(_.schema.metadata.contains(Zones.nullBitmap))

  private val fileName = "zonemap.lance"
  private val zoneRows = "rows_per_zone"
  private val defaultZoneRows = 8192

  def parameters: Seq[IndexParameter] = Seq(IndexParameter.count(zoneRows, defaultZoneRows))

  /** Returns the number of rows per zone. */
  def rowsPerZone(parameters: IndexParameters): Int = parameters.count(zoneRows)

  def parametersOf(files: IndexFiles): Map[String, String] =
    files.use(fileName)(_.schema.metadata.get(zoneRows).map(zoneRows -> _).toMap)

  /** Message `ZoneMapIndexDetails`: 1 `rows_per_zone`, 3 `has_null_bitmap`. */
  override def detailsOf(parameters: IndexParameters): Array[Byte] =
    DetailsMessage(1 -> parameters.count(zoneRows).toLong, 3 -> 1L)

  def supports(field: Field): Boolean = KeyType.of(field.logicalType).isDefined

  private def columns(t: LogicalType): IndexedSeq[Field] = IndexedSeq(
    Field(0, "min", t, nullable = true),
    Field(0, "max", t, nullable = true),
    NewSegment.unsigned("null_count", 32),
    NewSegment.unsigned("nan_count", 32)
  ) ++ Zones.fields

  def builder(field: Field, parameters: IndexParameters, into: NewSegment): SegmentBuilder =
    new Builder(
      KeyType.of(field.logicalType).get,
      parameters.count(zoneRows),
      new Writer(field.logicalType, parameters, into)
    )

  def merge(
      sources: Seq[SegmentSource],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit = extend(sources, Nil, field, parameters, into)

  /** Writes a segment with the zones of other segments and of new fragments.
    *
    * @param added zones of new fragments by fragment id; no source may cover these fragments
    */
  def extend(
      sources: Seq[SegmentSource],
      added: Seq[(Long, ColumnZones)],
      field: Field,
      parameters: IndexParameters,
      into: NewSegment
  ): Unit = Using.resource(new Writer(field.logicalType, parameters, into)) { writer =>
    sources.foreach(copy(_, KeyType.of(field.logicalType).get, writer))
    added.foreach { case (id, zones) =>
      zones.foreach((rows, bounds) => writer.append(Zone(id, rows), bounds))
      writer.nulls.add(zones.nullRows(id))
    }
    writer.finish()
  }

  private def copy(source: SegmentSource, keyType: KeyType, writer: Writer): Unit =
    source.files.use(fileName) { file =>
      val names = Zones.columns ++ Seq("null_count", "nan_count", "min", "max")
      IndexFiles.foreachBatch(file, names: _*) { columns =>
        val (nulls, nans) = (Numbers.of(columns(3)), Numbers.of(columns(4)))
        val (mins, maxs) = (keyType.keys(columns(5)), keyType.keys(columns(6)))
        Zones.of(columns).zipWithIndex.foreach { case (zone, i) =>
          if (source.rows.keepsFragment(zone.fragmentId))
            writer.append(
              zone,
              new ZoneBounds(
                Optional.unless(mins.isNull(i))(mins(i)),
                Optional.unless(maxs.isNull(i))(maxs(i)),
                nulls(i),
                nans(i)
              )
            )
        }
      }
      writer.nulls.add(Zones.nulls(file, source))
    }

  final private class Builder(keyType: KeyType, rowsPerZone: Int, writer: Writer)
      extends ZoneBuilder(rowsPerZone) {
    private val bounds = new ZoneBounds.Builder(keyType)

    protected def start(batch: IndexBatch): Int => Unit = {
      val keys = keyType.keys(batch.values)
      row =>
        if (batch.isNull(row)) {
          bounds.addNull()
          writer.nulls.add(batch.ids(row)): Unit
        } else bounds.add(keys, row)
    }

    protected def end(zone: Zone): Unit = writer.append(zone, bounds.result())

    protected def write(): Unit = writer.finish()
    def close(): Unit = writer.close()
  }

  final private class Writer(t: LogicalType, parameters: IndexParameters, into: NewSegment)
      extends AutoCloseable {
    private val file = into.create(fileName, columns(t))
    private val keyType = KeyType.of(t).get
    private val mins = new KeyColumn(t, keyType)
    private val maxs = new KeyColumn(t, keyType)
    private val numNulls = new IntValues
    private val numNaNs = new IntValues
    private val zones = new ZoneColumns
    val nulls = new RowSetBuilder

    def append(zone: Zone, bounds: ZoneBounds): Unit = {
      mins.append(bounds.min)
      maxs.append(bounds.max)
      numNulls.append(bounds.numNulls.toInt)
      numNaNs.append(bounds.numNaNs.toInt)
      zones.append(zone)
      if (zones.numRows >= Zones.batchRows) flush()
    }

    private def flush(): Unit = if (zones.numRows > 0) {
      val counts = IndexedSeq(numNulls, numNaNs).map(LeafColumn(_, null))
      file.write(IndexedSeq(mins.column, maxs.column) ++ counts ++ zones.columns, zones.numRows)
      mins.clear()
      maxs.clear()
      numNulls.clear()
      numNaNs.clear()
      zones.clear()
    }

    def finish(): Unit = {
      flush()
      file.describe(zoneRows, parameters.text(zoneRows))
      file.describe(Zones.nullBitmap, Buffer(nulls.result().toBytes))
      into.finish(fileName, file)
    }

    def close(): Unit = file.close()
  }

  def open(files: IndexFiles): ScalarSegment = files.use(fileName) { file =>
    val field = file.schema.field("min").getOrElse(
      throw new CorruptFileException("no column min", Place(path = Some(file.path)))
    )
    val keyType = KeyType.of(field.logicalType)
    val zones = IndexedSeq.newBuilder[Zone]
    val bounds = IndexedSeq.newBuilder[ZoneBounds]
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
        new ZoneBounds(bound(_._1), bound(_._2), nulls(i), nans(i))
      }
    }
    new Segment(
      keyType.map(_ => field.logicalType),
      zones.result(),
      bounds.result(),
      IndexFiles.rowSet(file, Zones.nullBitmap)
    )
  }

  final private class Segment(
      val valueType: Option[LogicalType],
      val zones: IndexedSeq[Zone],
      bounds: IndexedSeq[ZoneBounds],
      nulls: Option[RowSet]
  ) extends ZonedSegment {

    def evaluate(files: IndexFiles, predicate: IndexPredicate): Option[SegmentResult] =
      predicate match {
        case IndexPredicate.Within(ranges, _) if valueType.nonEmpty =>
          Some(SegmentResult.AtMost(rows { (zone, bound) =>
            // The maximum of the other values is unknown if the zone has NaNs.
            zone.rows.numRows > bound.numNulls &&
            (bound.numNaNs > 0 || ranges.overlaps(bound.min, bound.max))
          }))
        case IndexPredicate.IsNull =>
          Some(nulls match {
            case Some(rows) => new SegmentResult.Exact(rows, RowSet.empty)
            case None => SegmentResult.AtMost(rows((_, bound) => bound.numNulls > 0))
          })
        case _ => None
      }

    override def constants: Map[Long, Key] =
      zones.indices.groupBy(zones(_).fragmentId).flatMap { case (id, its) =>
        val first = bounds(its.head).min
        val isConstant = its.forall { i =>
          val b = bounds(i)
          b.numNulls == 0 && b.numNaNs == 0 && b.min == first && b.max == first
        }
        if (isConstant) first.map(id -> _) else None
      }

    override def bounded: IndexedSeq[BoundedZone] = zones.indices
      .filter(i => zones(i).rows.numRows > bounds(i).numNulls)
      .map { i =>
        val both = for (min <- bounds(i).min; max <- bounds(i).max) yield (min, max)
        BoundedZone(zones(i), both.filter(_ => bounds(i).numNaNs == 0))
      }

    private def rows(accepts: (Zone, ZoneBounds) => Boolean): RowSet =
      Zones.rows(zones.indices.filter(i => accepts(zones(i), bounds(i))).map(zones))

    def sizeInBytes: Long = zones.length * 240L + nulls.fold(0L)(_.sizeInBytes)
  }
}
