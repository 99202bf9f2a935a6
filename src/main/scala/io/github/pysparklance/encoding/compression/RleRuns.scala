// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._

/** The decoded runs of one chunk or block of an `Rle`. Hot code: imperative. */
final private[compression] class RleRuns(valueChild: RleChild, lengthChild: RleChild) {
  import RleRuns.slack
  private val bits = valueChild.bits
  private val lengthBits = lengthChild.bits
  private val bytesPerValue = bits / 8
  private var lengths = new Array[Int](64)
  private var numRuns = 0
  private var values: Buffer = Buffer.empty

  /** Reads the runs. Returns the sum of their lengths.
    *
    * @param numValues number of values of the chunk or block, which is the maximum number of runs
    */
  def read(storedValues: Buffer, storedLengths: Buffer, numValues: Int): Long = {
    val runLengths =
      if (lengthChild.needsCount) {
        values = valueChild.plain(storedValues, -1, numValues)
        lengthChild.plain(storedLengths, countOf(values, bytesPerValue, numValues), numValues)
      } else {
        val plain = lengthChild.plain(storedLengths, -1, numValues)
        val count =
          if (valueChild.needsCount) countOf(plain, lengthBits / 8, numValues) else -1
        values = valueChild.plain(storedValues, count, numValues)
        plain
      }
    numRuns = runLengths.length / (lengthBits / 8)
    if (
      numRuns * (lengthBits / 8) != runLengths.length || values.length.toLong != numRuns.toLong * bytesPerValue
    )
      throw new CorruptFileException(
        s"Rle with ${values.length} bytes of values and ${runLengths.length} bytes of run lengths, " +
          s"$bits and $lengthBits bits each"
      )
    if (lengths.length < numRuns)
      lengths = new Array[Int](Values.grownCapacity(lengths.length, numRuns.toLong))
    var total = 0L
    var i = 0
    var zero = false
    while (i < numRuns) {
      val length = lengthBits match {
        case 8 => runLengths.array(runLengths.offset + i) & 0xff
        case 16 => Buffer.shortAt(runLengths.array, runLengths.offset + 2 * i) & 0xffff
        case _ => Buffer.intAt(runLengths.array, runLengths.offset + 4 * i)
      }
      zero |= length <= 0
      lengths(i) = length
      total += length
      i += 1
    }
    if (zero)
      throw new CorruptFileException("Rle with a run of no items, or of more than 2147483647")
    total
  }

  private def countOf(plain: Buffer, width: Int, numValues: Int): Int = {
    val count = plain.length / width
    if (count > numValues)
      throw new CorruptFileException(s"Rle of $count runs for $numValues values")
    count
  }

  def append(from: Int, count: Int, out: Values): Unit = if (count > 0) {
    // finds the first run of the slice, and its items before the slice
    var run = 0
    var skip = from
    while (skip >= lengths(run)) {
      skip -= lengths(run)
      run += 1
    }
    out match {
      case v: IntValues => ints(values, run, skip, count, v)
      case v: LongValues => longs(values, run, skip, count, v)
      case v: ShortValues => shorts(values, run, skip, count, v)
      case v: ByteValues => bytes(values, run, skip, count, v)
      case other =>
        throw new CorruptFileException(s"Rle for ${other.getClass.getSimpleName}")
    }
  }

  // One method per width. Most runs are short, so each run writes `slack` copies at once, and the
  // rest of a long one afterwards.

  private def ints(values: Buffer, firstRun: Int, skip: Int, count: Int, out: IntValues): Unit = {
    out.reserve(count + slack)
    var at = out.extend(count)
    val array = out.array
    val end = at + count
    var run = firstRun
    var left = lengths(run) - skip
    while (at < end) {
      val v: Int = Buffer.intAt(values.array, values.offset + run * 4)
      fillSlack(array, at, v)
      val until = math.min(at.toLong + left, end.toLong).toInt
      if (left > slack) java.util.Arrays.fill(array, at + slack, math.max(at + slack, until), v)
      at = until
      run += 1
      if (at < end) left = lengths(run)
    }
  }

  private def fillSlack(array: Array[Int], at: Int, v: Int): Unit = {
    array(at) = v
    array(at + 1) = v
    array(at + 2) = v
    array(at + 3) = v
    array(at + 4) = v
    array(at + 5) = v
    array(at + 6) = v
    array(at + 7) = v
  }

  private def longs(
      values: Buffer,
      firstRun: Int,
      skip: Int,
      count: Int,
      out: LongValues
  ): Unit = {
    out.reserve(count + slack)
    var at = out.extend(count)
    val array = out.array
    val end = at + count
    var run = firstRun
    var left = lengths(run) - skip
    while (at < end) {
      val v: Long = Buffer.longAt(values.array, values.offset + run * 8)
      fillSlack(array, at, v)
      val until = math.min(at.toLong + left, end.toLong).toInt
      if (left > slack) java.util.Arrays.fill(array, at + slack, math.max(at + slack, until), v)
      at = until
      run += 1
      if (at < end) left = lengths(run)
    }
  }

  private def fillSlack(array: Array[Long], at: Int, v: Long): Unit = {
    array(at) = v
    array(at + 1) = v
    array(at + 2) = v
    array(at + 3) = v
    array(at + 4) = v
    array(at + 5) = v
    array(at + 6) = v
    array(at + 7) = v
  }

  private def shorts(
      values: Buffer,
      firstRun: Int,
      skip: Int,
      count: Int,
      out: ShortValues
  ): Unit = {
    out.reserve(count + slack)
    var at = out.extend(count)
    val array = out.array
    val end = at + count
    var run = firstRun
    var left = lengths(run) - skip
    while (at < end) {
      val v: Short = Buffer.shortAt(values.array, values.offset + run * 2)
      fillSlack(array, at, v)
      val until = math.min(at.toLong + left, end.toLong).toInt
      if (left > slack) java.util.Arrays.fill(array, at + slack, math.max(at + slack, until), v)
      at = until
      run += 1
      if (at < end) left = lengths(run)
    }
  }

  private def fillSlack(array: Array[Short], at: Int, v: Short): Unit = {
    array(at) = v
    array(at + 1) = v
    array(at + 2) = v
    array(at + 3) = v
    array(at + 4) = v
    array(at + 5) = v
    array(at + 6) = v
    array(at + 7) = v
  }

  private def bytes(
      values: Buffer,
      firstRun: Int,
      skip: Int,
      count: Int,
      out: ByteValues
  ): Unit = {
    out.reserve(count + slack)
    var at = out.extend(count)
    val array = out.array
    val end = at + count
    var run = firstRun
    var left = lengths(run) - skip
    while (at < end) {
      val v: Byte = values.array(values.offset + run)
      fillSlack(array, at, v)
      val until = math.min(at.toLong + left, end.toLong).toInt
      if (left > slack) java.util.Arrays.fill(array, at + slack, math.max(at + slack, until), v)
      at = until
      run += 1
      if (at < end) left = lengths(run)
    }
  }

  private def fillSlack(array: Array[Byte], at: Int, v: Byte): Unit = {
    array(at) = v
    array(at + 1) = v
    array(at + 2) = v
    array(at + 3) = v
    array(at + 4) = v
    array(at + 5) = v
    array(at + 6) = v
    array(at + 7) = v
  }
}

private[compression] object RleRuns {

  /** Number of values written beyond the end of a run. */
  private val slack = 8
}
