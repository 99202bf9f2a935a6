// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

/** What a segment of an index knows of the rows for which a predicate is true. It speaks of the rows that were indexed:
  * of all others, and of deleted ones, it knows nothing.
  *
  * Source: format page of indices, "From index result to rows".
  */
sealed trait SegmentAnswer

object SegmentAnswer {

  /** Of all indexed rows it is known whether the predicate is true, false or null.
    *
    * @param trues rows for which it is true
    * @param readNulls rows for which it is null; asked for once, if at all
    */
  final class Exact(val trues: RowSet, readNulls: => RowSet) extends SegmentAnswer {
    lazy val nulls: RowSet = readNulls
  }

  /** It is true for these rows and no others; of those it is false or null. */
  final case class Trues(rows: RowSet) extends SegmentAnswer

  /** It is true for some of these rows perhaps, and for no others. */
  final case class AtMost(rows: RowSet) extends SegmentAnswer
}
