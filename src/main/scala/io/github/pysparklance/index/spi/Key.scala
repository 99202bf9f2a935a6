// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

/** A value of an indexed column, in the order in which indices keep values: numbers numerically, floats in the total
  * order of IEEE 754 (-NaN < -infinity < … < -0 < +0 < … < infinity < NaN), strings and binaries by unsigned bytes.
  *
  * Source: format page of indices, "BTree", order.
  */
sealed trait Key extends Ordered[Key] with Serializable

/** A value of at most 64 bits, as a signed number with the order of the values, see [[KeyType]]. */
final case class NumberKey(value: Long) extends Key {
  def compare(that: Key): Int = that match {
    case NumberKey(other) => java.lang.Long.compare(value, other)
    case _: BytesKey => -1
  }
}

/** A string or binary, or a wide number as bytes with its order. */
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

/** Values from one to another.
  *
  * @param low none: from the smallest
  * @param high none: to the largest
  */
final case class KeyRange(
    low: Option[Key],
    includesLow: Boolean,
    high: Option[Key],
    includesHigh: Boolean
) {

  /** The one value, if it is one. */
  def point: Option[Key] =
    if (low.nonEmpty && low == high && includesLow && includesHigh) low else None

  /** Bytes that all values begin with, if the range is that of these values or of the value itself. */
  def commonPrefix: Option[Array[Byte]] = low match {
    case Some(key: BytesKey) if this == KeyRange.point(key) || this == KeyRange.prefix(key.bytes) =>
      Some(key.bytes)
    case _ => None
  }

  /** Whether no value can be in it. */
  def isEmpty: Boolean = low.exists(l =>
    high.exists { h =>
      val order = l.compare(h)
      order > 0 || order == 0 && !(includesLow && includesHigh)
    }
  )

  /** Whether a value is before all of the range. */
  def isBelow(key: Key): Boolean = low.exists { l =>
    val order = key.compare(l)
    order < 0 || order == 0 && !includesLow
  }

  /** Whether a value is behind all of the range. */
  def isAbove(key: Key): Boolean = high.exists { h =>
    val order = key.compare(h)
    order > 0 || order == 0 && !includesHigh
  }

  def contains(key: Key): Boolean = !isBelow(key) && !isAbove(key)

  /** Whether a value between these two, both included, can be in it.
    *
    * @param from none: there is no lower bound
    * @param to none: there is no upper bound
    */
  def overlaps(from: Option[Key], to: Option[Key]): Boolean =
    !from.exists(isAbove) && !to.exists(isBelow)
}

object KeyRange {

  /** All values. */
  val all: KeyRange = KeyRange(None, includesLow = false, None, includesHigh = false)

  /** One value. */
  def point(key: Key): KeyRange =
    KeyRange(Some(key), includesLow = true, Some(key), includesHigh = true)

  /** Strings or binaries that begin with these bytes. */
  def prefix(bytes: Array[Byte]): KeyRange = {
    // the smallest byte string behind all of them: the last byte that is not 0xff, plus one
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
