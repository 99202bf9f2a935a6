// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.roaringbitmap.RoaringBitmap

/** What is known of the rows of a fragment for which a condition is true, and of those for which it is false; it is null
  * for the others. Conditions are combined as in the three-valued logic of SQL. Bitmaps are never changed.
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
final class FragmentAnswer private (val trues: RowBounds, makeFalses: => RowBounds) {

  /** Rows for which the condition is false. */
  lazy val falses: RowBounds = makeFalses

  /** Rows for which the condition is true, and perhaps others unless [[isExact]]. */
  def rows: RoaringBitmap = trues.atMost

  /** Whether all of [[rows]] are true. */
  def isExact: Boolean = trues.isExact

  def not: FragmentAnswer = new FragmentAnswer(falses, trues)

  def and(other: FragmentAnswer): FragmentAnswer =
    new FragmentAnswer(trues.intersect(other.trues), falses.union(other.falses))

  def or(other: FragmentAnswer): FragmentAnswer =
    new FragmentAnswer(trues.union(other.trues), falses.intersect(other.falses))
}

/** A set of rows between two sets. */
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

object FragmentAnswer {
  private val none = new RoaringBitmap

  private def all(numRows: Long): RoaringBitmap = RoaringBitmap.bitmapOfRange(0L, numRows)

  private def exactly(rows: RoaringBitmap): RowBounds = RowBounds(rows, rows)

  /** Nothing is known of the rows of a fragment. */
  def unknown(numRows: Long): FragmentAnswer = {
    lazy val any = RowBounds(none, all(numRows))
    new FragmentAnswer(any, any)
  }

  /** The condition is null for every row. */
  def isNull(numRows: Long): FragmentAnswer = exact(numRows, none, all(numRows))

  /** It is known for each row whether the condition is true, false or null.
    *
    * @param nulls rows for which it is null; asked for once, if at all
    */
  def exact(numRows: Long, trues: RoaringBitmap, nulls: => RoaringBitmap): FragmentAnswer =
    new FragmentAnswer(
      exactly(trues),
      exactly(RoaringBitmap.andNot(RoaringBitmap.andNot(all(numRows), trues), nulls))
    )

  /** The condition is true for these rows; for the others it is false or null. */
  def trues(numRows: Long, rows: RoaringBitmap): FragmentAnswer =
    new FragmentAnswer(exactly(rows), RowBounds(none, RoaringBitmap.andNot(all(numRows), rows)))

  /** The condition is true for none but these rows. */
  def atMost(numRows: Long, rows: RoaringBitmap): FragmentAnswer =
    new FragmentAnswer(RowBounds(none, rows), RowBounds(none, all(numRows)))
}
