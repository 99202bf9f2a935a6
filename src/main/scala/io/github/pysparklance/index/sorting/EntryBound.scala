// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.sorting

import io.github.pysparklance.index.spi.Key

/** The lower bound of a range of entries.
  *
  * @param key none: null, below all other keys
  */
final case class EntryBound(key: Option[Key], row: Long)

object EntryBound {

  /** The order of [[SortedEntries]]. */
  val order: Ordering[EntryBound] = (a: EntryBound, b: EntryBound) => {
    val byKey = (a.key, b.key) match {
      case (Some(x), Some(y)) => x.compare(y)
      case (x, y) => java.lang.Boolean.compare(x.isDefined, y.isDefined)
    }
    if (byKey != 0) byKey else java.lang.Long.compareUnsigned(a.row, b.row)
  }

  /** Returns ascending bounds that cut entries into ranges of about equal size.
    *
    * @param sample of the entries, in any order
    * @return one fewer than ranges, or still fewer if the sample has too few entries
    */
  def cut(sample: IndexedSeq[EntryBound], ranges: Int): IndexedSeq[EntryBound] = {
    val sorted = sample.sorted(order)
    (1 until ranges).map(i => (i.toLong * sorted.length / ranges).toInt).filter(_ > 0).distinct
      .map(sorted)
  }
}
