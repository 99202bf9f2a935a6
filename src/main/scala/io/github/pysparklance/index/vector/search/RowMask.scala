// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

import scala.annotation.unused

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.spi.RowSet
import io.github.pysparklance.table.deletion.DeletionVector

/** Selects the rows of a segment that a search may return. Thread-safe. */
trait RowMask {

  /** Whether a search may return a row.
    *
    * @param row row as the segment stores it
    */
  def accepts(row: Long): Boolean

  /** Whether the mask accepts no rows. */
  def isEmpty: Boolean

  /** Whether the mask certainly accepts all rows with the given upper halves. In addresses, these
    * are the ids of fragments.
    *
    * @param uppers upper halves of the rows of a partition
    */
  def acceptsAll(@unused uppers: Array[Long]): Boolean = false
}

object RowMask {

  /** Accepts all rows. */
  object All extends RowMask {
    def accepts(row: Long): Boolean = true
    def isEmpty: Boolean = false
    override def acceptsAll(uppers: Array[Long]): Boolean = true
  }

  /** Accepts the rows of a set. */
  final class Of(rows: RowSet) extends RowMask {
    def accepts(row: Long): Boolean = rows.contains(row)
    def isEmpty: Boolean = rows.isEmpty
  }

  /** Accepts rows of some fragments by their addresses.
    *
    * @param fragments accepted rows by fragment id; `None` for all rows of the fragment. The
    *   bitmaps must not be changed afterwards
    * @param deleted rejected rows by fragment id
    */
  final class Addresses(
      fragments: Map[Long, Option[RoaringBitmap]],
      deleted: Map[Long, DeletionVector]
  ) extends RowMask {
    private val ids = fragments.keys.toArray.sorted
    private val accepted = ids.map(fragments(_).orNull)
    private val rejected = ids.map(id => deleted.get(id).filterNot(_.isEmpty).orNull)

    def accepts(row: Long): Boolean = {
      val at = java.util.Arrays.binarySearch(ids, row >>> 32)
      at >= 0 &&
      (accepted(at) == null || accepted(at).contains(row.toInt)) &&
      (rejected(at) == null || !rejected(at).isDeleted(row & 0xffffffffL))
    }

    def isEmpty: Boolean = accepted.forall(a => a != null && a.isEmpty)

    override def acceptsAll(uppers: Array[Long]): Boolean = uppers.forall { id =>
      val at = java.util.Arrays.binarySearch(ids, id)
      at >= 0 && accepted(at) == null && rejected(at) == null
    }
  }
}
