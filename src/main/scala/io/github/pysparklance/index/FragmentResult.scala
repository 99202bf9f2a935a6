// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.roaringbitmap.RoaringBitmap

/** The rows of a fragment for which a condition is true and for which it is false, as far as
  * indices can determine them. For all other rows the condition is null. Conditions are combined
  * with the three-valued logic of SQL. Bitmaps are never changed.
  *
  * {{{
  *                rows for which it is true          rows for which it is false
  *   exact        T .. T                             all - T - N .. all - T - N
  *   at most S    none .. S                          none .. all
  *   unknown      none .. all                        none .. all
  *
  *   NOT swaps the two; AND: both true, either false; OR: either true, both false
  * }}}
  *
  * Source: format page of indices, "From index result to rows".
  */
final class FragmentResult private (val trues: RowBounds, makeFalses: => RowBounds) {

  /** Rows for which the condition is false. */
  lazy val falses: RowBounds = makeFalses

  /** The rows for which the condition is true. May include other rows unless [[isExact]]. */
  def rows: RoaringBitmap = trues.atMost

  /** Whether the condition is true for all of [[rows]]. */
  def isExact: Boolean = trues.isExact

  def not: FragmentResult = new FragmentResult(falses, trues)

  def and(other: FragmentResult): FragmentResult =
    new FragmentResult(trues.intersect(other.trues), falses.union(other.falses))

  def or(other: FragmentResult): FragmentResult =
    new FragmentResult(trues.union(other.trues), falses.intersect(other.falses))
}

/** A lower and an upper bound of a set of rows. */
final case class RowBounds(atLeast: RoaringBitmap, atMost: RoaringBitmap) {

  def isExact: Boolean =
    (atLeast eq atMost) || atLeast.getLongCardinality == atMost.getLongCardinality

  def union(other: RowBounds): RowBounds = RowBounds(
    RoaringBitmap.or(atLeast, other.atLeast),
    RoaringBitmap.or(atMost, other.atMost)
  )

  def intersect(other: RowBounds): RowBounds = RowBounds(
    RoaringBitmap.and(atLeast, other.atLeast),
    RoaringBitmap.and(atMost, other.atMost)
  )
}

/** Creates the results of single conditions. */
object FragmentResult {
  private val none = new RoaringBitmap

  private def all(numRows: Long): RoaringBitmap = RoaringBitmap.bitmapOfRange(0L, numRows)

  private def exactly(rows: RoaringBitmap): RowBounds = RowBounds(rows, rows)

  /** Returns the rows that the fragment has. An index may store "all rows of the fragment". */
  private def within(numRows: Long, rows: RoaringBitmap): RoaringBitmap =
    if (rows.isEmpty || (rows.last() & 0xffffffffL) < numRows) rows
    else RoaringBitmap.and(rows, all(numRows))

  /** Returns the result of a condition without a usable index: any row may match. */
  def unknown(numRows: Long): FragmentResult = {
    lazy val any = RowBounds(none, all(numRows))
    new FragmentResult(any, any)
  }

  /** Returns the result of a condition that is null for every row. */
  def isNull(numRows: Long): FragmentResult = exact(numRows, none, all(numRows))

  /** Returns a result that is exact for each row.
    *
    * @param trues rows for which the condition is true
    * @param nulls rows for which it is null; evaluated at most once
    */
  def exact(numRows: Long, trues: RoaringBitmap, nulls: => RoaringBitmap): FragmentResult =
    new FragmentResult(
      exactly(within(numRows, trues)),
      exactly(RoaringBitmap.andNot(RoaringBitmap.andNot(all(numRows), trues), nulls))
    )

  /** Returns the result of a condition that is true for exactly these rows. For the other rows it
    * is false or null.
    */
  def trues(numRows: Long, rows: RoaringBitmap): FragmentResult =
    new FragmentResult(
      exactly(within(numRows, rows)),
      RowBounds(none, RoaringBitmap.andNot(all(numRows), rows))
    )

  /** Returns the result of a condition that can be true for these rows only. */
  def atMost(numRows: Long, rows: RoaringBitmap): FragmentResult =
    new FragmentResult(RowBounds(none, within(numRows, rows)), RowBounds(none, all(numRows)))
}
