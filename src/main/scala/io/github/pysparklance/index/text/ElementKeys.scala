// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.rowid.RowAddress

/** Numbers list elements, in the order of their rows. A search handles these numbers like rows.
  *
  * {{{
  *   address, without the bits that no row of the table needs | position in the list
  *   fragment id       | offset                               |
  * }}}
  * A stable row id replaces the address in tables that have such ids.
  *
  * @param upperBits bits of fragment ids; 0 for stable row ids
  * @param lowerBits bits of offsets in fragments, or of stable row ids
  */
final case class ElementKeys private[text] (upperBits: Int, lowerBits: Int) {
  private val elementBits = 64 - upperBits - lowerBits

  /** Maximum number of elements of a list. */
  private val maxElements: Long =
    if (elementBits >= 31) Int.MaxValue.toLong else 1L << math.max(0, elementBits)

  /** Returns the number of an element.
    *
    * @param row stable row id if the table has them, otherwise the address
    * @throws UnsupportedFeatureException if the list has too many elements
    */
  def apply(row: Long, element: Int): Long = {
    if (element < 0 || element >= maxElements)
      throw new UnsupportedFeatureException(
        s"a full-text search of list elements in a table of this size with more than $maxElements " +
          "elements in a list"
      )
    packed(row) << elementBits | element.toLong
  }

  private def packed(row: Long): Long =
    if (upperBits == 0) row else RowAddress.fragmentId(row) << lowerBits | RowAddress.offset(row)

  /** Whether the numbers have room for a row. */
  private def isKnown(row: Long): Boolean =
    if (upperBits == 0) row >>> lowerBits == 0
    else
      RowAddress.fragmentId(row) >>> upperBits == 0 && RowAddress.offset(row) >>> lowerBits == 0

  /** Returns the row of an element. */
  def row(key: Long): Long = {
    val packed = key >>> elementBits
    if (upperBits == 0) packed
    else RowAddress(packed >>> lowerBits, packed & (1L << lowerBits) - 1)
  }

  /** Returns the position of an element in its list. */
  def element(key: Long): Int = (key & (1L << elementBits) - 1).toInt

  /** Returns the numbers of the documents of an index. Rows that the table no longer has get number
    * 0.
    */
  private[text] def of(rows: Array[Long], elements: Array[Int]): ElementKeys.OfDocuments = {
    val keys = new Array[Long](rows.length)
    var isAscending = true
    var i = 0
    while (i < keys.length) {
      if (isKnown(rows(i))) keys(i) = apply(rows(i), elements(i))
      isAscending &= i == 0 || java.lang.Long.compareUnsigned(keys(i - 1), keys(i)) < 0
      i += 1
    }
    new ElementKeys.OfDocuments(keys, isAscending)
  }
}

object ElementKeys {

  /** The numbers of the documents of a partition. */
  final private[text] class OfDocuments(val keys: Array[Long], val isAscending: Boolean)
      extends IndexCache.Part {
    def sizeInBytes: Long = 8L * keys.length
  }

  /** Returns the numbers of the list elements of a table. */
  private[text] def apply(table: LanceTable): ElementKeys = {
    def bits(greatest: Long) = 64 - java.lang.Long.numberOfLeadingZeros(greatest)
    if (table.hasStableRowIds) ElementKeys(0, math.max(1, bits(table.manifest.nextRowId)))
    else {
      val rows = table.fragments.iterator.map(table.physicalRows(_)).foldLeft(1L)(_ max _)
      val ids = table.fragments.iterator.map(_.id).foldLeft(0L)(_ max _)
      ElementKeys(math.max(1, bits(ids)), math.max(1, bits(rows)))
    }
  }
}
