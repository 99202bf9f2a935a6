// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.io.IOException

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{
  Field,
  Interrupts,
  LanceException,
  Log,
  Optional,
  RowRange,
  RowSelection
}
import io.github.pysparklance.index.cache.IndexMeter
import io.github.pysparklance.index.spi.ResultSize
import io.github.pysparklance.index.{
  IndexCondition,
  IndexEvaluator,
  IndexResult,
  IndexUse,
  ResultLimit,
  ScalarIndices
}
import io.github.pysparklance.spark.scan.task.ReadOptions
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment

/** Selects the rows for which a filter may be true according to indices. The scan still evaluates
  * the filter on these rows. Indices reduce the rows that are read, but do not determine the
  * result.
  *
  * @param uses the segments that were used
  * @param mayMatch ids of the fragments that may have a matching row
  * @param selected selected rows by fragment id; fragments in `mayMatch` without an entry are read
  *   in full
  * @param meter index reads
  * @param nanos duration of the selection
  */
final private[scan] class IndexedRows private (
    table: LanceTable,
    uses: Seq[IndexUse],
    mayMatch: RoaringBitmap,
    selected: mutable.LongMap[RowSelection],
    val meter: IndexMeter,
    val nanos: Long
) {

  /** Returns the rows of a fragment that may match, among the given rows. */
  def narrow(fragmentId: Long, rows: => RowSelection): RowSelection =
    if (!mayMatch.contains(fragmentId.toInt)) RowSelection.empty
    else if (selected.isEmpty) rows
    else selected.get(fragmentId).fold(rows)(_.intersect(rows))

  /** Number of rows that are read by row number. */
  lazy val numRows: Long = selected.valuesIterator.map(_.numRows).sum

  /** Text for `EXPLAIN`: each index with the fragments that it covers, and the selected rows. */
  lazy val description: String = {
    val all = table.fragments.length
    val indices = uses.groupBy(u => (u.index, u.kind)).toSeq.sortBy(_._1).map {
      case ((index, kind), its) =>
        val covered = its.map(_.fragments).reduce(RoaringBitmap.or(_, _)).getCardinality
        val open = if (covered < all) s", ${all - covered} not indexed" else ""
        s"$index ($kind, $covered of $all fragments$open)"
    }
    val left = mayMatch.getCardinality
    val whole = if (left == selected.size) "" else s", ${left - selected.size} fragments in full"
    s"index ${indices.mkString(", ")}: $numRows rows of ${selected.size} fragments$whole"
  }
}

/** Selects rows with indices. */
private[scan] object IndexedRows {
  private val log = Log(getClass)

  /** The cost of reading runs of consecutive rows, in addition to reading their rows. The unit is
    * the cost of reading a row in a scan.
    *
    * @param first cost of each of the first [[SeekCost.few]] runs
    * @param more cost of each further run: many runs touch most chunks of all pages, so that
    *   reading them decodes as much as a scan
    */
  final private class SeekCost(first: Long, more: Long) {
    def apply(runs: Long): Long =
      math.min(runs, SeekCost.few) * first + math.max(0L, runs - SeekCost.few) * more
  }

  private object SeekCost {
    val few = 1024L

    val usual = new SeekCost(first = 16L, more = 64L)

    /** For filters that are costly to evaluate. */
    val ofCostlyFilter = new SeekCost(first = 2L, more = 2L)
  }

  /** Returns `None` if no index applies, or if using one costs more than scanning.
    *
    * @param filter filter; rows for which it is false or null are not needed
    * @param searchesAll whether to read fragments that the indices do not cover
    */
  def apply(
      table: LanceTable,
      filter: IndexCondition,
      options: ReadOptions,
      searchesAll: Boolean
  ): Option[IndexedRows] = IndexCondition.whereTrue(filter) match {
    case IndexCondition.Unknown => None
    case condition => ifUsable(table, options)(select(table, condition, searchesAll))
  }

  /** Whether an index finds rows by the values of a field. */
  def findsValues(table: LanceTable, field: Field): Boolean =
    table.indices.exists(s => !s.isSystem && s.fields.contains(field.id)) &&
      new ScalarIndices(table).of(field.id).exists(_.kind.findsValues)

  /** Runs an index search. Returns `None` if the options disable indices, or if an index cannot be
    * read.
    */
  def ifUsable[A](table: LanceTable, options: ReadOptions)(find: => Option[A]): Option[A] =
    if (!options.useScalarIndex || options.includesDeleted || table.indices.forall(_.isSystem)) None
    else
      try find
      catch {
        case e if Interrupts.isCauseOf(e) => throw e
        case e @ (_: LanceException | _: IOException) =>
          log.warn(s"no index of ${table.path} is used: ${e.getMessage}", e)
          None
      }

  /** Returns the first rows in the order of an index.
    *
    * @param rows selected rows by fragment id
    */
  def of(
      table: LanceTable,
      uses: Seq[IndexUse],
      rows: mutable.LongMap[RowSelection],
      meter: IndexMeter,
      nanos: Long
  ): IndexedRows = {
    val fragments = new RoaringBitmap
    rows.keysIterator.foreach(id => fragments.add(id.toInt))
    new IndexedRows(table, uses, fragments, rows, meter, nanos)
  }

  private def select(
      table: LanceTable,
      condition: IndexCondition,
      searchesAll: Boolean
  ): Option[IndexedRows] = {
    val started = System.nanoTime()
    val meter = new IndexMeter
    val tableRows = table.fragments.iterator.map(_.physicalRows.getOrElse(0L)).sum
    val seek =
      if (IndexCondition.tests(condition).exists(_.predicate.isCostly)) SeekCost.ofCostlyFilter
      else SeekCost.usual
    val result =
      new IndexEvaluator(new ScalarIndices(table, meter))(
        condition,
        new Worthwhile(tableRows, seek)
      )
    val mayMatch = result.searched match {
      case Some(searched) if !searchesAll => RoaringBitmap.and(result.mayMatch, searched)
      case _ => result.mayMatch
    }
    val selected = mutable.LongMap.empty[RowSelection]
    if (result.uses.nonEmpty) table.fragments.foreach { fragment =>
      if (mayMatch.contains(fragment.id.toInt))
        selection(result, fragment, seek).foreach(selected(fragment.id) = _)
    }
    val isUseful = selected.nonEmpty || mayMatch.getCardinality < table.fragments.length
    Optional.when(isUseful)(new IndexedRows(
      table,
      result.uses,
      mayMatch,
      selected,
      meter,
      System.nanoTime() - started
    ))
  }

  /** Returns `None` if reading all rows of the fragment is cheaper. */
  private def selection(
      result: IndexResult,
      fragment: Fragment,
      seek: SeekCost
  ): Option[RowSelection] =
    if (!result.covers(fragment)) None
    else {
      val rows = result.of(fragment).rows
      val selected = rows.getLongCardinality
      val physicalRows = fragment.physicalRows.getOrElse(Long.MaxValue)
      if (selected > physicalRows / 2) None
      else {
        val ranges = mutable.ArrayBuffer.empty[RowRange]
        val it = rows.getIntIterator
        var from = -1L
        var until = -1L
        while (it.hasNext) {
          val row = it.next() & 0xffffffffL
          if (row != until) {
            if (from >= 0) ranges += RowRange(from, until)
            from = row
          }
          until = row + 1
        }
        if (from >= 0) ranges += RowRange(from, until)
        if (seek(ranges.length.toLong) + selected > physicalRows) None
        else Some(RowSelection.of(ranges.toIndexedSeq))
      }
    }

  /** Allows index results that cost less than reading the rows of the table. Results with many rows
    * are not computed, because filtering in tasks is faster than computing them on the driver.
    */
  final private class Worthwhile(tableRows: Long, seek: SeekCost) extends ResultLimit {
    def allows(size: ResultSize): Boolean =
      size.rows <= Worthwhile.maxRows && size.entries <= Worthwhile.maxEntries &&
        (size.entries <= Worthwhile.freeEntries ||
          size.entries / Worthwhile.entriesPerRow + size.rows + seek(size.runs) <= tableRows / 2)
  }

  private object Worthwhile {

    /** Maximum number of rows of a result. */
    val maxRows: Long = 2L << 20

    /** Maximum number of index entries to read. */
    val maxEntries: Long = 64L << 20

    /** Reading this number of entries costs about as much as filtering a row. */
    val entriesPerRow: Long = 4L

    /** Up to this number of entries, reading an index takes negligible time. */
    val freeEntries: Long = 16L << 10
  }
}
