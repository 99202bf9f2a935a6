// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.changes

import org.roaringbitmap.longlong.Roaring64Bitmap

import io.github.pysparklance.core.{RowRange, RowSelection}

/** A set of row numbers, see [[RowIdentity]]. Takes a few bits for each number of a run. Not
  * thread-safe.
  */
final private[changes] class IdSet {
  private val bitmap = new Roaring64Bitmap

  def add(id: Long): Unit = bitmap.addLong(id)

  def remove(id: Long): Unit = bitmap.removeLong(id)

  def apply(id: Long): Boolean = bitmap.contains(id)

  def isEmpty: Boolean = bitmap.isEmpty
}

private[changes] object IdSet {

  /** The numbers that occur, and those that occur more than once. */
  def of(ids: Iterator[Array[Long]]): (IdSet, IdSet) = {
    val (once, repeated) = (new IdSet, new IdSet)
    ids.foreach(_.foreach { id =>
      if (once(id)) repeated.add(id) else once.add(id)
    })
    (once, repeated)
  }

  /** Splits rows by their numbers: those for which a condition is true, and the others.
    *
    * @param ids one for each row, in row order
    * @param isFirst takes the number and the row
    */
  def split(rows: RowSelection, ids: Array[Long])(
      isFirst: (Long, Long) => Boolean
  ): (RowSelection, RowSelection) = {
    val (first, others) = (new Runs, new Runs)
    var at = 0
    rows.ranges.foreach { range =>
      var row = range.from
      while (row < range.until) {
        (if (isFirst(ids(at), row)) first else others).add(row)
        at += 1
        row += 1
      }
    }
    (first.result(), others.result())
  }

  /** Gathers rows in ascending order. */
  final private class Runs {
    private val runs = IndexedSeq.newBuilder[RowRange]
    private var from = -1L
    private var until = -1L

    def add(row: Long): Unit = {
      if (row != until) {
        flush()
        from = row
      }
      until = row + 1
    }

    private def flush(): Unit = if (from >= 0) runs += RowRange(from, until)

    def result(): RowSelection = {
      flush()
      RowSelection.of(runs.result())
    }
  }
}
