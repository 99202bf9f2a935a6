// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import java.io.{IOException, InterruptedIOException}

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Field, LanceException, Log, Optional, RowRange, RowSelection}
import io.github.pysparklance.index.{
  AnswerLimit,
  IndexAnswer,
  IndexAnswers,
  IndexCondition,
  IndexUse,
  ScalarIndices
}
import io.github.pysparklance.index.spi.{AnswerSize, IndexMeter}
import io.github.pysparklance.spark.scan.task.ReadOptions
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.Fragment

/** Selects the rows for which a filter may be true according to indices. The scan still evaluates the filter on these
  * rows: an index decides how much is read, not what is returned.
  *
  * @param uses the segments that answered
  * @param mayMatch ids of the fragments that may have a matching row
  * @param selected rows of fragments by id; of the others among `mayMatch`, all rows are read
  * @param meter what was read of indices
  * @param nanos time to make the selection
  */
final private[scan] class IndexedRows private (
    table: LanceTable,
    uses: Seq[IndexUse],
    mayMatch: RoaringBitmap,
    selected: mutable.LongMap[RowSelection],
    val meter: IndexMeter,
    val nanos: Long
) {

  /** Those of some rows of a fragment that may match. */
  def narrow(fragmentId: Long, rows: => RowSelection): RowSelection =
    if (!mayMatch.contains(fragmentId.toInt)) RowSelection.empty
    else if (selected.isEmpty) rows
    else selected.get(fragmentId).fold(rows)(_.intersect(rows))

  /** Rows that are read by their number. */
  lazy val numRows: Long = selected.valuesIterator.map(_.numRows).sum

  /** Text for `EXPLAIN`: each index with the fragments that it covers, and the rows that are left. */
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

private[scan] object IndexedRows {
  private val log = Log(getClass)

  /** Reading a row by its number costs as much as reading that many rows in a row, about. */
  private val seekRows = 16L

  /** None when no index knows anything of the filter that is worth to be used.
    *
    * @param filter of which only rows are needed for which it is true
    * @param searchesAll whether fragments are read that the indices do not cover
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

  /** Whether an index finds rows by their values of a field. */
  def findsValues(table: LanceTable, field: Field): Boolean =
    table.indices.exists(s => !s.isSystem && s.fields.contains(field.id)) &&
      new ScalarIndices(table).of(field.id).exists(_.kind.findsValues)

  /** Runs a look-up, unless indices cannot or must not be used. */
  def ifUsable[A](table: LanceTable, options: ReadOptions)(find: => Option[A]): Option[A] =
    if (!options.useScalarIndex || options.includesDeleted || table.indices.forall(_.isSystem)) None
    else
      try find
      catch {
        case e: InterruptedIOException => throw e
        case e @ (_: LanceException | _: IOException) =>
          log.warn(s"no index of ${table.path} is used: ${e.getMessage}", e)
          None
      }

  /** Rows that come first in the order of an index.
    *
    * @param rows of the fragments that have any, by id
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
    val answer =
      new IndexAnswers(new ScalarIndices(table, meter))(condition, new Worthwhile(tableRows))
    val mayMatch = answer.searched match {
      case Some(searched) if !searchesAll => RoaringBitmap.and(answer.mayMatch, searched)
      case _ => answer.mayMatch
    }
    val selected = mutable.LongMap.empty[RowSelection]
    if (answer.uses.nonEmpty) table.fragments.foreach { fragment =>
      if (mayMatch.contains(fragment.id.toInt))
        selection(answer, fragment).foreach(selected(fragment.id) = _)
    }
    val isUseful = selected.nonEmpty || mayMatch.getCardinality < table.fragments.length
    Optional.when(isUseful)(new IndexedRows(
      table,
      answer.uses,
      mayMatch,
      selected,
      meter,
      System.nanoTime() - started
    ))
  }

  /** None if reading all rows of the fragment is cheaper. */
  private def selection(answer: IndexAnswer, fragment: Fragment): Option[RowSelection] =
    if (!answer.covers(fragment)) None
    else {
      val rows = answer.of(fragment).rows
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
        if (ranges.length * seekRows + selected > physicalRows) None
        else Some(RowSelection.of(ranges.toIndexedSeq))
      }
    }

  /** Answers that are less work than reading the rows of the table. Those with many rows are not made at all: the scan
    * filters in its tasks what they would tell on the driver.
    */
  final private class Worthwhile(tableRows: Long) extends AnswerLimit {
    def allows(size: AnswerSize): Boolean =
      size.rows <= Worthwhile.maxRows && size.entries <= Worthwhile.maxEntries &&
        (size.entries <= Worthwhile.freeEntries ||
          size.entries + size.rows + size.runs * seekRows <= tableRows / 2)
  }

  private object Worthwhile {

    /** Rows of an answer, at most. */
    val maxRows: Long = 2L << 20

    /** Entries that are read, at most. */
    val maxEntries: Long = 64L << 20

    /** Entries that take no time to speak of. */
    val freeEntries: Long = 64L << 10
  }
}
