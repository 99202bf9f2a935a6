// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import io.github.pysparklance.core.{Column, ListColumn, NullColumn, StructColumn}

/** Rows of a fragment with their values of the indexed column. Valid until the next batch.
  *
  * @param column the indexed column, within its enclosing structs
  * @param depth number of enclosing structs
  * @param ids address or stable id of each row
  * @param live positions of the rows that are not deleted; null if all rows are live
  */
final class IndexBatch(
    column: Column,
    depth: Int,
    val ids: Array[Long],
    live: Array[Int],
    numLive: Int
) {
  private val nested: IndexedSeq[Column] = (0 until depth).scanLeft(column) {
    case (s: StructColumn, _) if s.children.length == 1 => s.children.head
    case (n: NullColumn, _) => n
    case (other, _) =>
      throw new IllegalStateException(s"a struct is a ${other.getClass.getSimpleName}")
  }

  /** The values of the indexed field. They are only valid in rows whose enclosing structs are not
    * null.
    */
  val values: Column = nested.last

  private val parents = nested.init.filter(_.hasNulls)

  /** Whether any row may be null. */
  val hasNulls: Boolean = parents.nonEmpty || values.hasNulls

  /** Whether the value of a row or an enclosing struct is null. */
  def isNull(row: Int): Boolean =
    hasNulls && (values.isNull(row) || parents.exists(_.isNull(row)))

  /** The lists of a list column; `None` if all are null. */
  def lists: Option[ListColumn] = values match {
    case l: ListColumn => Some(l)
    case _: NullColumn => None
    case other => throw new IllegalStateException(s"a list is a ${other.getClass.getSimpleName}")
  }

  /** Runs `f` on the position of each live row. */
  def foreachLive(f: Int => Unit): Unit = {
    var i = 0
    while (i < numLive) {
      f(if (live == null) i else live(i))
      i += 1
    }
  }
}
