// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import io.github.pysparklance.index.spi.{BytesKey, Key, KeyType, Keys, NumberKey}

/** The statistics of a zone.
  *
  * @param min least value other than NaN; `None` if it is unknown or there is none
  * @param max greatest value, NaN if the zone has one; `None` if it is unknown or there is none
  */
final case class ZoneBounds(
    min: Option[Key],
    max: Option[Key],
    numNulls: Long,
    numNaNs: Long
) {

  /** Whether a bound is longer than a number of bytes. */
  def isLongerThan(bytes: Int): Boolean = Seq(min, max).flatten.exists {
    case b: BytesKey => b.bytes.length > bytes
    case _: NumberKey => false
  }
}

/** Computes statistics. */
private[index] object ZoneBounds {

  /** Computes the statistics of zones, one at a time. Hot code, not thread-safe. */
  final class Builder(keyType: KeyType) {
    private val floats = keyType.floats
    private val lowest = floats.fold(Long.MinValue)(_.lowest)
    private val highest = floats.fold(Long.MaxValue)(_.highest)
    private var minNumber = Long.MaxValue
    private var maxNumber = Long.MinValue
    private var minBytes: Key = null
    private var maxBytes: Key = null
    private var numValues = 0L
    private var numNulls = 0L
    private var numNaNs = 0L

    def addNull(): Unit = numNulls += 1

    /** Adds a non-null value. */
    def add(keys: Keys, row: Int): Unit =
      if (keyType.isNumber) addNumber(keys.number(row))
      else {
        if (minBytes == null) {
          minBytes = keys(row)
          maxBytes = minBytes
        } else if (keys.compare(row, minBytes) < 0) minBytes = keys(row)
        else if (keys.compare(row, maxBytes) > 0) maxBytes = keys(row)
        numValues += 1
      }

    /** Adds rows `[from, until)`, which must not have nulls. */
    def addAll(keys: Keys, from: Int, until: Int): Unit = {
      var row = from
      if (keyType.isNumber)
        while (row < until) {
          addNumber(keys.number(row))
          row += 1
        }
      else
        while (row < until) {
          add(keys, row)
          row += 1
        }
    }

    private def addNumber(value: Long): Unit =
      if (value < lowest || value > highest) numNaNs += 1
      else {
        if (value < minNumber) minNumber = value
        if (value > maxNumber) maxNumber = value
        numValues += 1
      }

    /** Returns the statistics of the current zone, and starts the next zone. Covers both zeros if a
      * bound is zero, because readers treat them as equal.
      */
    def result(): ZoneBounds = {
      def bound(number: Long, bytes: Key): Option[Key] =
        if (numValues == 0) None
        else Some(if (keyType.isNumber) NumberKey(number) else bytes)
      val (min, max) = (bound(minNumber, minBytes), bound(maxNumber, maxBytes))
      val zone = ZoneBounds(
        floats.fold(min)(f => min.map(f.least)),
        floats.fold(max)(f => if (numNaNs > 0) Some(f.nan) else max.map(f.greatest)),
        numNulls,
        numNaNs
      )
      minNumber = Long.MaxValue
      maxNumber = Long.MinValue
      minBytes = null
      maxBytes = null
      numValues = 0
      numNulls = 0
      numNaNs = 0
      zone
    }
  }
}
