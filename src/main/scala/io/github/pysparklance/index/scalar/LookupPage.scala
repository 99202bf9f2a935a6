// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.core.{CorruptFileException, RowRange}
import io.github.pysparklance.index.spi.{Key, KeyRanges, Keys}

/** An entry of the lookup file of a BTREE index, which describes a page.
  *
  * @param min `None` if unknown
  * @param max `None` if the page has only nulls
  * @param rows rows in its file; the last page of a file may be shorter
  */
final private[scalar] class LookupPage(
    val min: Option[Key],
    val max: Option[Key],
    val nullCount: Long,
    val file: String,
    val rows: RowRange
) {

  /** Whether all rows have values within the ranges. */
  def isWithin(ranges: KeyRanges): Boolean =
    nullCount == 0 && min.exists(from => max.exists(ranges.covers(from, _)))

  override def toString: String = s"the page at row ${rows.from} of $file"
}

private[scalar] object LookupPage {

  /** Checks that the pages of a segment are in the order of their keys, nulls first. Searches and
    * merges depend on it.
    *
    * @throws CorruptFileException if they are not
    */
  def checkOrder(pages: IndexedSeq[LookupPage]): Unit = {
    val valued = pages.dropWhile(_.max.isEmpty)
    (1 until valued.length).foreach { i =>
      val (before, page) = (valued(i - 1), valued(i))
      CorruptFileException.check(
        page.nullCount == 0 && page.max.nonEmpty &&
          before.max.exists(max => page.min.exists(max <= _)),
        s"$page follows $before in the lookup file of an index, but not in the order of their values"
      )
    }
    CorruptFileException.check(
      pages.iterator.map(p => (p.file, p.rows.from)).toSet.size == pages.length,
      "a page that is in the lookup file of an index twice"
    )
  }
}

/** Compares the rows of a page with its lookup entry, which searches depend on. Index files have no
  * checksums, so this detects lookup entries of other pages, and most damaged values.
  *
  * @param page the lookup entry
  */
final private[scalar] class PageCheck(page: LookupPage) {
  private var numNulls = 0L
  private var first, last = Option.empty[Key]

  /** Adds rows, which follow the rows that were added before.
    *
    * @throws CorruptFileException if nulls do not come first, or values do not ascend
    */
  def add(keys: Keys): Unit = {
    var row = 0
    while (row < keys.numRows && keys.isNull(row)) row += 1
    numNulls += row
    if (row < keys.numRows) {
      if (first.isEmpty) first = Some(keys(row))
      check(row == 0 || last.isEmpty, "has nulls after values")
      check(last.forall(keys.compare(row, _) >= 0), "has values that do not ascend")
      row += 1
      while (row < keys.numRows && !keys.isNull(row) && keys.compareRows(row - 1, row) <= 0)
        row += 1
      check(row == keys.numRows, "has values that do not ascend, or nulls after values")
      last = Some(keys(row - 1))
    } else check(row == 0 || last.isEmpty, "has nulls after values")
  }

  /** Compares all rows with the lookup entry.
    *
    * @return number of null rows
    * @throws CorruptFileException if they contradict each other
    */
  def finish(): Int = {
    check(
      numNulls == page.nullCount,
      s"has $numNulls nulls, and ${page.nullCount} in its lookup entry"
    )
    check(last == page.max, "does not end with the maximum in its lookup entry")
    check(
      page.min.forall(first.contains),
      "does not begin with the minimum in its lookup entry"
    )
    numNulls.toInt
  }

  private def check(holds: Boolean, problem: => String): Unit = CorruptFileException.check(
    holds,
    s"$page $problem; create the index again"
  )
}
