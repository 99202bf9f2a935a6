// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** A double-ended queue in a growing array, with access by position. Replaces `mutable.ArrayDeque`,
  * which Scala 2.12 lacks. Adds and removes at both ends in constant time. Not thread-safe.
  */
final class Ring[A <: AnyRef] {
  private var slots = new Array[AnyRef](16) // length is a power of two
  private var first = 0
  private var count = 0

  def length: Int = count
  def isEmpty: Boolean = count == 0
  def nonEmpty: Boolean = count > 0
  def head: A = apply(0)
  def last: A = apply(count - 1)

  def apply(i: Int): A = slots(slot(i)).asInstanceOf[A]

  def update(i: Int, a: A): Unit = slots(slot(i)) = a

  def append(a: A): Unit = {
    grow()
    count += 1
    update(count - 1, a)
  }

  def prepend(a: A): Unit = {
    grow()
    first = (first - 1) & (slots.length - 1)
    count += 1
    update(0, a)
  }

  /** Inserts an element before position `i`; `i == length` appends. Takes linear time. */
  def insert(i: Int, a: A): Unit = {
    if (i < 0 || i > count) outside(i)
    append(a)
    var j = count - 1
    while (j > i) {
      update(j, apply(j - 1))
      j -= 1
    }
    update(i, a)
  }

  def removeHead(): A = {
    val a = head
    slots(first) = null
    first = (first + 1) & (slots.length - 1)
    count -= 1
    a
  }

  /** Returns the position of the first element equal to `a`, or -1. */
  def indexOf(a: A): Int = {
    var i = 0
    while (i < count && apply(i) != a) i += 1
    if (i < count) i else -1
  }

  /** Iterates over the present elements. The queue must not change meanwhile. */
  def iterator: Iterator[A] = Iterator.range(0, count).map(apply)

  private def slot(i: Int): Int = {
    if (i < 0 || i >= count) outside(i)
    (first + i) & (slots.length - 1)
  }

  private def outside(i: Int): Nothing =
    throw new IndexOutOfBoundsException(s"position $i of $count elements")

  private def grow(): Unit = if (count == slots.length) {
    val larger = new Array[AnyRef](slots.length * 2)
    System.arraycopy(slots, first, larger, 0, count - first)
    System.arraycopy(slots, 0, larger, count - first, first)
    slots = larger
    first = 0
  }
}
