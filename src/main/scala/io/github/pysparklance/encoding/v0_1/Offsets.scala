// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v0_1

import io.github.pysparklance.core.{
  Buffer,
  CorruptFileException,
  Search,
  UnsupportedFeatureException
}

/** The offsets of lists: a plain page with one offset more than rows. Source: format page of the
  * legacy format, "Nested types".
  *
  * {{{
  *   [[1], null, [2, 3]]    0 1 1 3      i32, i64 for large lists; row i has the items [offset i, offset i + 1)
  * }}}
  * Offsets are relative to the items of the same batch. A null list has no items and reads as an
  * empty list. Hot code: imperative.
  */
object Offsets {

  /** Reads and checks the offsets of `numRows` rows.
    *
    * @param bytes contiguous offsets, one more than rows
    * @param large whether offsets take 64 bits instead of 32
    * @param numItems number of items in the batch
    * @throws CorruptFileException if offsets decrease or exceed the items
    */
  def decode(bytes: Buffer, numRows: Int, large: Boolean, numItems: Long): Array[Long] = {
    val offsets = new Array[Long](numRows + 1)
    if (large) bytes.copyLongs(0, offsets, 0, numRows + 1)
    else {
      var i = 0
      while (i <= numRows) {
        offsets(i) = bytes.i32(i * 4).toLong
        i += 1
      }
    }
    check(offsets, numItems, "of the list items")
    offsets
  }

  /** Writes offsets `[from, from + count]` relative to the first of them to `out`. */
  def rebase(offsets: Array[Long], from: Int, count: Int, out: Array[Int]): Unit = {
    val first = offsets(from)
    val numItems = offsets(from + count) - first
    if (numItems > Int.MaxValue)
      throw new UnsupportedFeatureException(s"a batch of $numItems list items; read fewer rows")
    var i = 0
    while (i <= count) {
      out(i) = (offsets(from + i) - first).toInt
      i += 1
    }
  }

  /** Returns the last index in `(from, until]` whose offset is at most `limit`, but at least `from
    * + 1`.
    */
  def lastWithin(offsets: Array[Long], from: Int, until: Int, limit: Long): Int =
    Search.lastAtMost(offsets, from + 1, until, limit)

  private[v0_1] def check(offsets: Array[Long], limit: Long, what: String): Unit = {
    var last = 0L
    var i = 0
    while (i < offsets.length) {
      val offset = offsets(i)
      if (offset < last)
        throw new CorruptFileException(s"offset $i is $offset, the one before it $last")
      last = offset
      i += 1
    }
    CorruptFileException.check(last <= limit, s"offset $last exceeds the $limit $what")
  }

  /** Encodes offsets that begin at 0, one more than rows.
    *
    * @param large whether offsets take 64 bits instead of 32
    */
  def encode(offsets: Array[Int], numRows: Int, large: Boolean): Array[Byte] = {
    val width = if (large) 8 else 4
    val bytes = new Array[Byte](Math.multiplyExact(numRows + 1, width))
    var i = 0
    while (i <= numRows) {
      if (large) Buffer.putLong(bytes, i * 8, offsets(i).toLong)
      else Buffer.putInt(bytes, i * 4, offsets(i))
      i += 1
    }
    bytes
  }
}
