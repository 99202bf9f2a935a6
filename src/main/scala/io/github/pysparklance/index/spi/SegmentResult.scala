// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

/** The rows of a segment for which a predicate is true, as far as the index can determine them. The
  * result does not cover rows that were not indexed, and may include deleted rows.
  *
  * Source: format page of indices, "From index result to rows".
  */
sealed trait SegmentResult

/** Kinds of results. */
object SegmentResult {

  /** An exact result: it determines for each indexed row whether the predicate is true, false, or
    * null.
    *
    * @param trues rows for which it is true
    * @param readNulls rows for which it is null; evaluated at most once
    */
  final class Exact(val trues: RowSet, readNulls: => RowSet) extends SegmentResult {
    lazy val nulls: RowSet = readNulls
  }

  /** The predicate is true for exactly these rows. For the other rows it is false or null. */
  final case class Trues(rows: RowSet) extends SegmentResult

  /** The predicate can be true for these rows only. */
  final case class AtMost(rows: RowSet) extends SegmentResult
}
