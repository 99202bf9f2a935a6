// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.postings

/** Encodes ascending numbers in the portable Roaring format, without an in-memory bitmap.
  *
  * {{{
  *   without runs   cookie 12346: u32   containers: u32
  *   with runs      cookie 12347 | (containers - 1) << 16: u32   one bit for each container: whether it has runs
  *   for each container    upper 16 bits: u16   numbers - 1: u16
  *   for each container    offset in the bitmap: u32         not with runs and fewer than four containers
  *   containers            array: u16[numbers]   bitmap: 8192 bytes   runs: u16, (start, length - 1): (u16, u16)[runs]
  * }}}
  * A container is an array of up to 4096 numbers, otherwise a bitmap, unless runs are smaller.
  *
  * Source: Roaring bitmap format specification. Not thread-safe. Hot code.
  */
final class RoaringEncoder {
  import RoaringEncoder._

  private val lows = new Array[Char](maxNumbers)
  private var numLows = 0
  private var numRuns = 0
  private var upper = -1
  private val payload = new ByteSink
  private val heads = new java.util.ArrayList[Head]

  def isEmpty: Boolean = numLows == 0 && heads.isEmpty

  /** Adds an unsigned number that is greater than all previous numbers. */
  def add(number: Int): Unit = {
    val low = number.toChar
    if (number >>> 16 != upper) {
      endContainer()
      upper = number >>> 16
    }
    if (numLows == 0 || lows(numLows - 1) + 1 != low) numRuns += 1
    lows(numLows) = low
    numLows += 1
  }

  private def endContainer(): Unit = if (numLows > 0) {
    val plainBytes = math.min(2 * numLows, bitmapBytes)
    val hasRuns = 2 + 4 * numRuns < plainBytes
    heads.add(Head(upper, numLows, hasRuns, payload.length))
    if (hasRuns) writeRuns()
    else if (numLows <= maxArray) writeArray()
    else writeBitmap()
    numLows = 0
    numRuns = 0
  }

  private def writeRuns(): Unit = {
    payload.putShort(numRuns)
    var from = 0
    while (from < numLows) {
      var until = from + 1
      while (until < numLows && lows(until) == lows(until - 1) + 1) until += 1
      payload.putShort(lows(from).toInt)
      payload.putShort(until - from - 1)
      from = until
    }
  }

  private def writeArray(): Unit = {
    var i = 0
    while (i < numLows) {
      payload.putShort(lows(i).toInt)
      i += 1
    }
  }

  private def writeBitmap(): Unit = {
    val at = payload.zeros(bitmapBytes)
    val bytes = payload.array
    var i = 0
    while (i < numLows) {
      val low = lows(i)
      bytes(at + (low >> 3)) = (bytes(at + (low >> 3)) | 1 << (low & 7)).toByte
      i += 1
    }
  }

  /** Appends the bitmap, and resets the encoder. */
  def finish(out: ByteSink): Unit = {
    endContainer()
    upper = -1
    val start = out.length
    val n = heads.size
    val hasRuns = anyRuns
    if (hasRuns) {
      out.putInt(cookieWithRuns | (n - 1) << 16)
      val flags = out.zeros((n + 7) / 8)
      foreachHead((i, head) =>
        if (head.hasRuns)
          out.array(flags + i / 8) = (out.array(flags + i / 8) | 1 << (i % 8)).toByte
      )
    } else {
      out.putInt(cookie)
      out.putInt(n)
    }
    foreachHead { (_, head) =>
      out.putShort(head.upper)
      out.putShort(head.numLows - 1)
    }
    if (!hasRuns || n >= fewContainers) {
      val payloadAt = out.length - start + 4 * n
      foreachHead((_, head) => out.putInt(payloadAt + head.offset))
    }
    out.put(payload.array, 0, payload.length)
    payload.clear()
    heads.clear()
  }

  private def anyRuns: Boolean = {
    var i = 0
    while (i < heads.size && !heads.get(i).hasRuns) i += 1
    i < heads.size
  }

  private def foreachHead(f: (Int, Head) => Unit): Unit = {
    var i = 0
    while (i < heads.size) {
      f(i, heads.get(i))
      i += 1
    }
  }
}

private object RoaringEncoder {
  private val cookie = 12346
  private val cookieWithRuns = 12347
  private val maxNumbers = 1 << 16
  private val maxArray = 4096
  private val bitmapBytes = 8192

  /** Bitmaps with runs have no offsets if they have fewer containers than this. */
  private val fewContainers = 4

  /** @param offset position of the container after the heads and offsets */
  final private case class Head(upper: Int, numLows: Int, hasRuns: Boolean, offset: Int)
}
