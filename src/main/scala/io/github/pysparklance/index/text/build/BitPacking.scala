// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import io.github.pysparklance.core.Buffer
import io.github.pysparklance.index.postings.ByteSink

/** Packs numbers into bits. Counterpart of `BitUnpacking`, which describes the layout. Hot code. */
private[build] object BitPacking {

  /** Returns the number of bits of an unsigned number. */
  def widthOf(value: Int): Int = 32 - Integer.numberOfLeadingZeros(value)

  /** Returns the number of bits of the largest of the first numbers. */
  def widthOf(values: Array[Int], numValues: Int): Int = {
    var all = 0
    var i = 0
    while (i < numValues) {
      all |= values(i)
      i += 1
    }
    widthOf(all)
  }

  /** Appends the first `32 * lanes` numbers, each of `width` bits. */
  def pack(values: Array[Int], width: Int, lanes: Int, into: ByteSink): Unit = {
    val at = into.zeros(4 * lanes * width)
    val bytes = into.array
    var i = 0
    while (i < 32 * lanes && width > 0) {
      val bit = (i / lanes) * width
      val word = at + 4 * ((bit >>> 5) * lanes + i % lanes)
      val shift = bit & 31
      Buffer.putInt(bytes, word, Buffer.intAt(bytes, word) | values(i) << shift)
      if (shift + width > 32) {
        val next = word + 4 * lanes
        Buffer.putInt(bytes, next, Buffer.intAt(bytes, next) | values(i) >>> (32 - shift))
      }
      i += 1
    }
  }

  /** Appends the width of `32 * lanes` numbers, and the packed numbers. */
  def packWithWidth(values: Array[Int], lanes: Int, into: ByteSink): Unit = {
    val width = widthOf(values, 32 * lanes)
    into.putByte(width)
    pack(values, width, lanes, into)
  }

  /** Appends the first of `32 * lanes` ascending numbers, and the packed differences.
    *
    * @param deltas scratch array
    */
  def packAscending(
      values: Array[Int],
      from: Int,
      lanes: Int,
      deltas: Array[Int],
      into: ByteSink
  ): Unit = {
    into.putInt(values(from))
    deltas(0) = 0
    var i = 1
    while (i < 32 * lanes) {
      deltas(i) = values(from + i) - values(from + i - 1)
      i += 1
    }
    packWithWidth(deltas, lanes, into)
  }
}
