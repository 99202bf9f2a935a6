// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.sorting

import io.github.pysparklance.index.spi.Key

/** The lower bound of a range of entries.
  *
  * @param key `None` for null, which is below all other keys
  */
final case class EntryBound(key: Option[Key], row: Long)

/** The order of bounds, and partitioning. */
object EntryBound {

  /** The order of [[SortedEntries]]. */
  val order: Ordering[EntryBound] = (a: EntryBound, b: EntryBound) => {
    val byKey = (a.key, b.key) match {
      case (Some(x), Some(y)) => x.compare(y)
      case (x, y) => java.lang.Boolean.compare(x.isDefined, y.isDefined)
    }
    if (byKey != 0) byKey else java.lang.Long.compareUnsigned(a.row, b.row)
  }

  /** Returns ascending bounds that split entries into ranges of about equal size.
    *
    * @param sample sample of the entries, in any order
    * @return at most one bound fewer than ranges; fewer bounds if the sample is too small
    */
  def cut(sample: IndexedSeq[EntryBound], ranges: Int): IndexedSeq[EntryBound] = {
    val sorted = sample.sorted(order)
    (1 until ranges).map(i => (i.toLong * sorted.length / ranges).toInt).filter(_ > 0).distinct
      .map(sorted)
  }
}
