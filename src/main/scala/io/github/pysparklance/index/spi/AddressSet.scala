// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import org.roaringbitmap.RoaringBitmap

/** An immutable set of rows of one version of a table, by their row addresses in that version. The
  * rows of a [[RowSet]], in contrast, may be stable row ids, or addresses from before a compaction.
  */
final class AddressSet private (rows: RowSet) extends Serializable {

  def isEmpty: Boolean = rows.isEmpty

  /** Number of rows. */
  def numRows: Long = rows.numRows

  /** Ids of the fragments with rows of the set, ascending. */
  def fragments: Iterator[Long] = rows.uppers

  /** The offsets of the rows in a fragment. Must not be changed. */
  def offsets(fragmentId: Long): RoaringBitmap = rows.part(fragmentId)

  def contains(address: Long): Boolean = rows.contains(address)

  override def toString: String = s"AddressSet($numRows rows)"
}

/** Creates sets of addresses. */
object AddressSet {

  /** Creates a set from offsets by fragment id.
    *
    * @param offsets bitmaps that are not changed later
    */
  def of(offsets: Iterator[(Long, RoaringBitmap)]): AddressSet = new AddressSet(RowSet.of(offsets))

  /** Creates a set from addresses in any order, which may repeat. Sorts the array in place. */
  def of(addresses: Array[Long]): AddressSet = new AddressSet(RowSet.of(addresses))

  /** Creates a set from rows of a segment that stores the addresses of this version. */
  private[index] def stored(rows: RowSet): AddressSet = new AddressSet(rows)
}
