// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Field, Log, Optional, RowRange}
import io.github.pysparklance.index.scalar.{BTree, Bitmap, ZoneMap}
import io.github.pysparklance.index.spi._
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.rowid.RowAddress
import io.github.pysparklance.table.scan.{FragmentScan, MetadataColumn}

/** Computes MIN or MAX of a field with an index that covers all fragments. Deleted rows and nulls
  * are ignored.
  * {{{
  *   BTREE     the first entry with a live row
  *   BITMAP    the first value with a live row
  *   ZONEMAP   reads the zone with the least bound, and zones whose bound is below the least value so far
  * }}}
  * The value is always read from its row. An index entry that contradicts its row, for example from
  * a faulty writer, is never used.
  */
final class IndexMinMax(indices: ScalarIndices) {
  import IndexMinMax._
  import indices.{mapping, table}

  private val exact = new ExactResults(indices)
  private val fragments = table.fragments.indices.map(i => table.fragments(i).id -> i).toMap
  private val deletions = mutable.LongMap.empty[DeletionVector]
  private val selections = mutable.HashMap.empty[Option[IndexCondition], Option[Selection]]

  private def select(condition: Option[IndexCondition]): Option[Selection] =
    condition.fold(Option(Selection.all))(exact(_).map(Selection.of))

  /** Returns the value. The inner option is `None` if there are no values.
    *
    * @param field field of the table, of a type with the same order in Spark and in indices
    * @param isMax whether to compute the maximum
    * @param condition selects rows; `None` selects all
    * @return `None` if no index has the result, or if computing it on the driver costs more than a
    *   scan
    */
  def apply(
      field: Field,
      isMax: Boolean,
      condition: Option[IndexCondition]
  ): Option[IndexedResult[Option[Key]]] = for {
    keyType <- KeyType.of(field.logicalType)
    way <- table.schema.way(field.id)
    if keyType.floats.isEmpty && way.last.logicalType == field.logicalType
    candidates = indices.of(field.id).filter { index =>
      val isUsable = if (condition.isEmpty) kinds else kindsOfRows
      isUsable.contains(index.kind) && indices.complete(index).isDefined
    }
    if candidates.nonEmpty
    selection <- selections.getOrElseUpdate(condition, select(condition))
    search = new Search(way, keyType, isMax, selection)
    (index, value) <- candidates.iterator.flatMap(i => search(i).map(i -> _)).find(_ => true)
  } yield IndexedResult(value, (index.name +: selection.indices).distinct)

  /** @param way path from the top-level column to the field */
  final private class Search(
      way: IndexedSeq[Field],
      keyType: KeyType,
      isMax: Boolean,
      selection: Selection
  ) {
    private val order: Ordering[Key] =
      if (isMax) Ordering.ordered[Key].reverse else Ordering.ordered[Key]

    def apply(index: ScalarIndex): Option[Option[Key]] =
      if (index.kind == ZoneMap) byZones(index) else byRows(index)

    /** Returns the first of the first rows of all segments. */
    private def byRows(index: ScalarIndex): Option[Option[Key]] =
      indices.complete(index).filter(_.length <= maxSegments).flatMap { parts =>
        val firsts = all(parts.iterator.map { case (segment, covered) =>
          indices.readable(segment)(first(index.kind, segment, covered))
        })
        firsts.flatMap(_.flatten.sortBy(_._1)(order).headOption match {
          case None => Some(None)
          case Some((key, address)) => confirmed(index, key, address).map(Some(_))
        })
      }

    /** Returns the first row of a segment, or `None` if it is unknown. */
    private def first(
        kind: ScalarIndexKind,
        segment: IndexSegment,
        covered: RoaringBitmap
    ): Option[Option[(Key, Long)]] = {
      val files = indices.filesOf(segment)
      indices.opened(kind, files) match {
        case s if !s.valueType.contains(way.last.logicalType) => None
        case ordered: OrderedSegment =>
          val entries = new LimitedEntries(ordered.entries(files, !isMax), LimitedEntries.most)
          val live = mapping.live(segment, covered, entries, atATime = 64)(_._2)
          val found = live.collectFirst { case ((key, _), row) if isSelected(row) => key -> row }
          Optional.when(found.isDefined || !entries.isCut)(found)
        case keyed: KeyedSegment =>
          val keys = new LimitedEntries(keyed.keys(files, !isMax), maxKeys)
          var isKnown = true
          val found = keys.takeWhile { case (_, rows) =>
            isKnown = mapping.isMappable(segment, rows)
            isKnown
          }.flatMap { case (key, rows) =>
            mapping.rows(segment, covered, rows).flatMap { case (id, its) =>
              firstLive(id, its).map(key -> _)
            }
          }.find(_ => true)
          Optional.when(found.isDefined || isKnown && !keys.isCut)(found)
        case _ => None
      }
    }

    private def isSelected(address: Long): Boolean = selection
      .rows(RowAddress.fragmentId(address))
      .forall(_.contains(RowAddress.offset(address).toInt))

    /** Returns the address of a row that is live and selected, among rows of a fragment. */
    private def firstLive(id: Long, rows: RoaringBitmap): Option[Long] = {
      val wanted = selection.rows(id).fold(rows)(RoaringBitmap.and(rows, _))
      val deleted =
        deletions.getOrElseUpdate(id, table.deletionVector(table.fragments(fragments(id))))
      val it = wanted.getIntIterator
      var found = Option.empty[Long]
      while (found.isEmpty && it.hasNext) {
        val offset = it.next() & 0xffffffffL
        if (!deleted.isDeleted(offset)) found = Some(RowAddress(id, offset))
      }
      found
    }

    /** Returns the key if the row has this value. */
    private def confirmed(index: ScalarIndex, key: Key, address: Long): Option[Key] = {
      val offset = RowAddress.offset(address)
      val actual = read(RowAddress.fragmentId(address), RowRange(offset, offset + 1))
      if (!actual.contains(key))
        log.warn(
          s"the index ${index.name} of ${table.path} is not used for MIN and MAX, as an entry has another value than " +
            s"row $offset of fragment ${RowAddress.fragmentId(address)}; create the index again"
        )
      actual.filter(_ == key)
    }

    private def byZones(index: ScalarIndex): Option[Option[Key]] =
      indices.complete(index).filter(_.length <= maxSegments).flatMap { parts =>
        all(parts.iterator.map { case (segment, covered) =>
          indices.readable(segment)(zones(segment, covered))
        }).flatMap(its => best(its.flatten))
      }

    /** Returns the zones of fragments with their bound. Returns `None` if the zones do not cover
      * the fragments, or a bound is unknown.
      */
    private def zones(
        segment: IndexSegment,
        covered: RoaringBitmap
    ): Option[IndexedSeq[(Zone, Key)]] =
      indices.opened(ZoneMap, indices.filesOf(segment)) match {
        case zoned: ZonedSegment if zoned.valueType.contains(way.last.logicalType) =>
          val its = zoned.bounded.filter(z => covered.contains(z.zone.fragmentId.toInt))
          val isComplete = mapping.tiled(zoned, segment, covered) == covered
          Optional.when(isComplete && its.forall(_.bounds.isDefined)) {
            its.flatMap(z =>
              z.bounds.map { case (min, max) => z.zone -> (if (isMax) max else min) }
            )
          }
        case _ => None
      }

    private def best(zones: Seq[(Zone, Key)]): Option[Option[Key]] = {
      val ordered = zones.sortBy(_._2)(order).iterator.buffered
      var found = Option.empty[Key]
      var rowsLeft = maxZoneRows
      var zonesLeft = maxZones
      def mayImprove = ordered.hasNext && found.forall(order.gt(_, ordered.head._2))
      while (mayImprove && zonesLeft > 0 && ordered.head._1.rows.numRows <= rowsLeft) {
        val (zone, _) = ordered.next()
        zonesLeft -= 1
        rowsLeft -= zone.rows.numRows
        read(zone.fragmentId, zone.rows).foreach { value =>
          if (found.forall(order.lt(value, _))) found = Some(value)
        }
      }
      Optional.unless(mayImprove)(found)
    }

    /** Returns the first value among rows of a fragment. */
    private def read(fragmentId: Long, rows: RowRange): Option[Key] = {
      val position = MetadataColumn.RowAddr
      val scan = FragmentScan(
        table,
        fragments(fragmentId),
        rows,
        None,
        FragmentScan.defaultGapRows,
        IndexedSeq(position)
      )
      var found = Option.empty[Key]
      IndexedFragments(
        IndexedSeq(scan),
        way,
        position,
        IndexedColumn.defaultBatchRows
      ).foreachBatch(table.store) { batch =>
        val keys = keyType.keys(batch.values)
        batch.foreachLive { row =>
          if (!batch.isNull(row)) {
            val compared = found.map(keys.compare(row, _))
            if (compared.forall(c => if (isMax) c > 0 else c < 0)) found = Some(keys(row))
          }
        }
      }
      found
    }
  }
}

private object IndexMinMax {
  private val log = Log(classOf[IndexMinMax])

  /** Kinds that find the rows of a value. */
  private val kindsOfRows = Seq(BTree, Bitmap)

  private val kinds = kindsOfRows :+ ZoneMap

  /** Maximum values of a bitmap index before the first live row. The rows of each value are read
    * separately.
    */
  private val maxKeys = 256

  /** Maximum rows of zones that the driver reads. */
  private val maxZoneRows = 1L << 16

  /** Maximum zones that the driver reads. Each read opens the files of a fragment. */
  private val maxZones = 32

  /** Maximum segments that the driver opens one after the other. */
  private val maxSegments = 32

  /** Returns all results. Stops and returns `None` at the first unknown result. */
  private def all[A](results: Iterator[Option[A]]): Option[Seq[A]] = {
    val found = Seq.newBuilder[A]
    var isKnown = true
    while (isKnown && results.hasNext) results.next() match {
      case Some(result) => found += result
      case None => isKnown = false
    }
    Optional.when(isKnown)(found.result())
  }

  /** The rows that a condition selects.
    *
    * @param rows returns the selected rows of a fragment by its id; `None` selects all
    * @param indices names of the indices that evaluated the condition
    */
  final private class Selection(
      val rows: Long => Option[RoaringBitmap],
      val indices: Seq[String]
  )

  private object Selection {
    val all: Selection = new Selection(_ => None, Nil)

    def of(result: IndexResult): Selection = {
      val rows = mutable.LongMap.empty[RoaringBitmap]
      result.all.zip(result.fragments).foreach { case (f, of) => rows(f.id) = of.rows }
      new Selection(rows.get, result.uses.map(_.index).distinct)
    }
  }
}
