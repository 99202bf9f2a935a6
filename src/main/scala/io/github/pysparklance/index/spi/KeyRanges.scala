// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import io.github.pysparklance.core.Optional

/** Disjoint ranges of values in ascending order.
  *
  * @param ranges ranges that are not empty, each above the previous range
  */
final class KeyRanges private (val ranges: Array[KeyRange]) {

  def isEmpty: Boolean = ranges.isEmpty

  /** Whether a value is within one of the ranges. */
  def contains(key: Key): Boolean = {
    val i = first(r => !r.isAbove(key))
    i < ranges.length && !ranges(i).isBelow(key)
  }

  /** Whether the non-null value of a row is within one of the ranges. */
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

  /** Whether one of the ranges overlaps the closed interval of two values. `None` means no bound.
    */
  def overlaps(from: Option[Key], to: Option[Key]): Boolean = {
    val i = from.fold(0)(key => first(r => !r.isAbove(key)))
    i < ranges.length && ranges(i).overlaps(from, to)
  }

  /** Returns the positions of the ranges that overlap the closed interval of two values: the first
    * one, and the end, exclusive.
    */
  def overlapping(from: Key, to: Key): (Int, Int) =
    (first(r => !r.isAbove(from)), first(_.isBelow(to)))

  /** Returns the number of ranges that overlap the closed interval if all of them are single
    * values, otherwise `None`.
    *
    * @param from `None` for no lower bound
    * @param to `None` for no upper bound
    */
  def pointsIn(from: Option[Key], to: Option[Key]): Option[Long] = {
    val start = from.fold(0)(key => first(r => !r.isAbove(key)))
    val end = to.fold(ranges.length)(key => first(_.isBelow(key)))
    Optional.when((start until end).forall(ranges(_).point.nonEmpty))((end - start).toLong)
  }

  /** Whether one of the ranges contains the closed interval of two values. */
  def covers(from: Key, to: Key): Boolean = {
    val i = first(r => !r.isAbove(from))
    i < ranges.length && ranges(i).contains(from) && ranges(i).contains(to)
  }

  /** Returns the intersection of two lists of ranges. */
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

  /** The values, if each range is a single value. */
  def points: Option[IndexedSeq[Key]] = {
    val found = ranges.flatMap(_.point)
    if (found.length == ranges.length) Some(found.toIndexedSeq) else None
  }

  /** Returns the position of the first range for which a monotonic condition holds. */
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

/** Creates disjoint ranges. */
object KeyRanges {

  /** Merges ranges in any order, which may overlap. */
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

  /** Whether the second range starts within or directly after the first one. It must not start
    * before the first one.
    */
  private def touches(a: KeyRange, b: KeyRange): Boolean = a.high.forall { h =>
    b.low.forall { l =>
      val order = l.compare(h)
      order < 0 || order == 0 && (a.includesHigh || b.includesLow)
    }
  }

  private def withHigh(a: KeyRange, b: KeyRange): KeyRange =
    a.copy(high = b.high, includesHigh = b.includesHigh)
}
