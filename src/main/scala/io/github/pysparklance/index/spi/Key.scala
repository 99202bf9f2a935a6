// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

/** A value of an indexed column with the order of indices. Numbers are ordered numerically, and
  * floats in the total order of IEEE 754 (-NaN < -infinity < … < -0 < +0 < … < infinity < NaN).
  * Strings and binaries are ordered by unsigned bytes.
  *
  * Source: format page of indices, "BTree", order.
  */
sealed trait Key extends Ordered[Key] with Serializable

/** A value of at most 64 bits, as a signed number with the same order, see [[KeyType]]. */
final case class NumberKey(value: Long) extends Key {
  def compare(that: Key): Int = that match {
    case NumberKey(other) => java.lang.Long.compare(value, other)
    case _: BytesKey => -1
  }
}

/** A string, a binary, or a wide number, as bytes with the same order. */
final class BytesKey(val bytes: Array[Byte]) extends Key {
  def compare(that: Key): Int = that match {
    case other: BytesKey => java.util.Arrays.compareUnsigned(bytes, other.bytes)
    case _: NumberKey => 1
  }

  override def equals(other: Any): Boolean = other match {
    case o: BytesKey => java.util.Arrays.equals(bytes, o.bytes)
    case _ => false
  }

  override def hashCode: Int = java.util.Arrays.hashCode(bytes)

  override def toString: String = s"BytesKey(${bytes.length} bytes)"
}

/** A range of values.
  *
  * @param low `None` for no lower bound
  * @param high `None` for no upper bound
  */
final case class KeyRange(
    low: Option[Key],
    includesLow: Boolean,
    high: Option[Key],
    includesHigh: Boolean
) {

  /** The value, if the range has exactly one. */
  def point: Option[Key] =
    if (low.nonEmpty && low == high && includesLow && includesHigh) low else None

  /** The common prefix of all values, if the range is a prefix range or a single binary value. */
  def commonPrefix: Option[Array[Byte]] = low match {
    case Some(key: BytesKey) if this == KeyRange.point(key) || this == KeyRange.prefix(key.bytes) =>
      Some(key.bytes)
    case _ => None
  }

  /** Whether the range contains no value. */
  def isEmpty: Boolean = low.exists(l =>
    high.exists { h =>
      val order = l.compare(h)
      order > 0 || order == 0 && !(includesLow && includesHigh)
    }
  )

  /** Whether a value is below the range. */
  def isBelow(key: Key): Boolean = low.exists { l =>
    val order = key.compare(l)
    order < 0 || order == 0 && !includesLow
  }

  /** Whether a value is above the range. */
  def isAbove(key: Key): Boolean = high.exists { h =>
    val order = key.compare(h)
    order > 0 || order == 0 && !includesHigh
  }

  def contains(key: Key): Boolean = !isBelow(key) && !isAbove(key)

  /** Whether the range overlaps the closed interval of two values.
    *
    * @param from `None` for no lower bound
    * @param to `None` for no upper bound
    */
  def overlaps(from: Option[Key], to: Option[Key]): Boolean =
    !from.exists(isAbove) && !to.exists(isBelow)
}

/** Creates ranges. */
object KeyRange {

  /** All values. */
  val all: KeyRange = KeyRange(None, includesLow = false, None, includesHigh = false)

  /** Returns the range of a single value. */
  def point(key: Key): KeyRange =
    KeyRange(Some(key), includesLow = true, Some(key), includesHigh = true)

  /** Returns the range of strings or binaries with a prefix. */
  def prefix(bytes: Array[Byte]): KeyRange = {
    // The least byte string above all of them: increment the last byte that is not 0xff.
    val last = bytes.lastIndexWhere(_ != 0xff.toByte)
    val end = if (last < 0) None
    else {
      val next = java.util.Arrays.copyOf(bytes, last + 1)
      next(last) = (next(last) + 1).toByte
      Some(new BytesKey(next))
    }
    KeyRange(Some(new BytesKey(bytes)), includesLow = true, end, includesHigh = false)
  }
}
