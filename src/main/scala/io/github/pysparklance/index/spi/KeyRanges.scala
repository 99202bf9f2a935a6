// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import io.github.pysparklance.core.Optional

/** Ranges of values, ascending and disjoint.
  *
  * @param ranges none empty, each above the one before
  */
final class KeyRanges private (val ranges: Array[KeyRange]) {

  def isEmpty: Boolean = ranges.isEmpty

  /** Whether a value is in one of the ranges. */
  def contains(key: Key): Boolean = {
    val i = first(r => !r.isAbove(key))
    i < ranges.length && !ranges(i).isBelow(key)
  }

  /** Whether the value of a row, which is not null, is in one of the ranges. */
  def contains(keys: Keys, row: Int): Boolean = {
    val i = first { r =>
      r.high.forall { h =>
        val order = keys.compare(row, h)
        order < 0 || order == 0 && r.includesHigh
      }
    }
    i < ranges.length && ranges(i).low.forall { l =>
      val order = keys.compare(row, l)
      order > 0 || order == 0 && ranges(i).includesLow
    }
  }

  /** Whether a value between these two, both included, can be in one of the ranges; none: there is no bound. */
  def overlaps(from: Option[Key], to: Option[Key]): Boolean = {
    val i = from.fold(0)(key => first(r => !r.isAbove(key)))
    i < ranges.length && ranges(i).overlaps(from, to)
  }

  /** The positions of the first range that values between these two, both included, can be in, and of the one behind the
    * last.
    */
  def overlapping(from: Key, to: Key): (Int, Int) =
    (first(r => !r.isAbove(from)), first(_.isBelow(to)))

  /** How many single values between these two are in the ranges; none if longer ranges are among them.
    *
    * @param from none: there is no bound
    * @param to none: there is no bound
    */
  def pointsIn(from: Option[Key], to: Option[Key]): Option[Long] = {
    val start = from.fold(0)(key => first(r => !r.isAbove(key)))
    val end = to.fold(ranges.length)(key => first(_.isBelow(key)))
    Optional.when((start until end).forall(ranges(_).point.nonEmpty))((end - start).toLong)
  }

  /** Whether all values between these two, both included, are in one of the ranges. */
  def covers(from: Key, to: Key): Boolean = {
    val i = first(r => !r.isAbove(from))
    i < ranges.length && ranges(i).contains(from) && ranges(i).contains(to)
  }

  /** The values that are in the ranges here and there. */
  def intersect(other: KeyRanges): KeyRanges = {
    val both = Array.newBuilder[KeyRange]
    var i = 0
    var j = 0
    while (i < ranges.length && j < other.ranges.length) {
      val (a, b) = (ranges(i), other.ranges(j))
      val low = if (KeyRanges.startsBefore(a, b)) b else a
      val high = if (KeyRanges.endsBefore(a, b)) a else b
      val part = KeyRange(low.low, low.includesLow, high.high, high.includesHigh)
      if (!part.isEmpty) both += part
      if (KeyRanges.endsBefore(a, b)) i += 1 else j += 1
    }
    new KeyRanges(both.result())
  }

  /** The values, if each range is one. */
  def points: Option[IndexedSeq[Key]] = {
    val found = ranges.flatMap(_.point)
    if (found.length == ranges.length) Some(found.toIndexedSeq) else None
  }

  /** The first range with a property that all ranges behind it have as well. */
  private def first(holds: KeyRange => Boolean): Int = {
    var low = 0
    var high = ranges.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (holds(ranges(middle))) high = middle else low = middle + 1
    }
    low
  }

  override def equals(other: Any): Boolean = other match {
    case o: KeyRanges => ranges.sameElements(o.ranges)
    case _ => false
  }

  override def hashCode: Int = ranges.toIndexedSeq.hashCode

  override def toString: String = ranges.mkString("KeyRanges(", ", ", ")")
}

object KeyRanges {

  /** Ranges in any order, which may overlap. */
  def of(ranges: Iterable[KeyRange]): KeyRanges = {
    val sorted = ranges.filterNot(_.isEmpty).toArray.sortWith(startsBefore)
    val merged = Array.newBuilder[KeyRange]
    var last = Option.empty[KeyRange]
    sorted.foreach { r =>
      last match {
        case Some(l) if touches(l, r) => last = Some(if (endsBefore(l, r)) withHigh(l, r) else l)
        case _ =>
          last.foreach(merged += _)
          last = Some(r)
      }
    }
    last.foreach(merged += _)
    new KeyRanges(merged.result())
  }

  private def startsBefore(a: KeyRange, b: KeyRange): Boolean = (a.low, b.low) match {
    case (None, other) => other.nonEmpty
    case (_, None) => false
    case (Some(x), Some(y)) =>
      val order = x.compare(y)
      order < 0 || order == 0 && a.includesLow && !b.includesLow
  }

  private def endsBefore(a: KeyRange, b: KeyRange): Boolean = (a.high, b.high) match {
    case (None, _) => false
    case (_, None) => true
    case (Some(x), Some(y)) =>
      val order = x.compare(y)
      order < 0 || order == 0 && !a.includesHigh && b.includesHigh
  }

  /** Whether the second range, which does not start before the first, starts within or right behind it. */
  private def touches(a: KeyRange, b: KeyRange): Boolean = a.high.forall { h =>
    b.low.forall { l =>
      val order = l.compare(h)
      order < 0 || order == 0 && (a.includesHigh || b.includesLow)
    }
  }

  private def withHigh(a: KeyRange, b: KeyRange): KeyRange =
    a.copy(high = b.high, includesHigh = b.includesHigh)
}
