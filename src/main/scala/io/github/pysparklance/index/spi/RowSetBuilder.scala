// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

/** Collects rows in any order into a [[RowSet]]. Fast for rows that ascend within a fragment. Not
  * thread-safe.
  */
final class RowSetBuilder {
  private var upper = -1L
  private var rows: RoaringBitmap = null
  private var parts: mutable.HashMap[Long, RoaringBitmap] = null
  private var bytes = 0L

  /** Adds a row.
    *
    * @return approximate growth of the builder in bytes
    */
  def add(row: Long): Long = {
    var more = RowSetBuilder.rowBytes
    if (row >>> 32 != upper || rows == null) more += turnTo(row >>> 32)
    rows.add(row.toInt)
    bytes += more
    more
  }

  /** Adds the rows of a set. */
  def add(set: RowSet): Unit = set.uppers.foreach { part =>
    bytes += turnTo(part) + set.part(part).getLongSizeInBytes
    rows.or(set.part(part))
  }

  private def turnTo(part: Long): Long =
    if (rows == null) {
      upper = part
      rows = new RoaringBitmap
      RowSetBuilder.partBytes
    } else {
      if (parts == null) {
        parts = mutable.HashMap.empty
        parts(upper) = rows
      }
      upper = part
      val before = parts.size
      rows = parts.getOrElseUpdate(part, new RoaringBitmap)
      if (parts.size > before) RowSetBuilder.partBytes else 0L
    }

  /** Approximate memory in bytes. */
  def sizeInBytes: Long = bytes

  /** Returns the rows. The builder must not be used afterwards. */
  def result(): RowSet = {
    val all: Iterator[(Long, RoaringBitmap)] =
      if (parts != null) parts.iterator
      else if (rows != null) Iterator.single(upper -> rows)
      else Iterator.empty
    RowSet.of(all.map { case (part, its) =>
      its.runOptimize()
      part -> its
    })
  }
}

private object RowSetBuilder {

  /** Bytes of a row in an array container, the most common kind. */
  private val rowBytes = 2L

  /** Bytes of a bitmap with one container. */
  private val partBytes = 160L
}
