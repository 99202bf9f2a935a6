// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.search

/** Keeps the nearest of the offered rows, in a binary heap with the farthest row on top. Ties are
  * ordered by row, so the result does not depend on the order of offers. NaN is farther than all
  * distances. Not thread-safe. Hot code: imperative.
  *
  * @param capacity maximum number of rows to keep, at least 1
  */
final class TopRows(val capacity: Int) {
  require(capacity > 0, s"room for $capacity rows")
  // Grows, because the capacity may exceed the number of rows.
  private var distances = new Array[Float](math.min(capacity, 16))
  private var rows = new Array[Long](distances.length)
  private var count = 0

  /** Number of kept rows. */
  def size: Int = count

  def isFull: Boolean = count == capacity

  /** Distance of the farthest kept row. NaN until [[isFull]], and while a row with NaN is kept. */
  def worst: Float = if (count < capacity) Float.NaN else distances(0)

  /** The farthest kept row. Only if [[isFull]]. */
  def worstRow: Long = rows(0)

  /** Whether [[offer]] may keep a row at this distance. */
  def mayKeep(distance: Float): Boolean = count < capacity || !(distance > distances(0))

  /** Keeps a row if it is among the nearest so far.
    *
    * @param row unsigned row id or address
    */
  def offer(distance: Float, row: Long): Unit =
    if (count < capacity) {
      if (count == distances.length) grow()
      count += 1
      siftUp(distance, row)
    } else if (TopRows.isBefore(distance, row, distances(0), rows(0)))
      siftDown(distance, row, count)

  /** Returns the kept rows, nearest first. */
  def result(): FoundRows = {
    val outRows = new Array[Long](count)
    val outDistances = new Array[Float](count)
    val (keptRows, keptDistances, numKept) = (rows.clone(), distances.clone(), count)
    while (count > 0) {
      count -= 1
      outRows(count) = rows(0)
      outDistances(count) = distances(0)
      if (count > 0) siftDown(distances(count), rows(count), count)
    }
    rows = keptRows
    distances = keptDistances
    count = numKept
    new FoundRows(outRows, outDistances)
  }

  private def grow(): Unit = {
    val length = math.min(capacity.toLong, distances.length * 2L).toInt
    distances = java.util.Arrays.copyOf(distances, length)
    rows = java.util.Arrays.copyOf(rows, length)
  }

  /** Puts a row into the free last slot, then moves it up. */
  private def siftUp(distance: Float, row: Long): Unit = {
    var at = count - 1
    var isDone = false
    while (at > 0 && !isDone) {
      val parent = (at - 1) >>> 1
      if (TopRows.isBefore(distances(parent), rows(parent), distance, row)) {
        distances(at) = distances(parent)
        rows(at) = rows(parent)
        at = parent
      } else isDone = true
    }
    distances(at) = distance
    rows(at) = row
  }

  /** Replaces the row on top, then moves the new one down among the first `end` slots. */
  private def siftDown(distance: Float, row: Long, end: Int): Unit = {
    var at = 0
    var isDone = false
    while (!isDone) {
      var child = 2 * at + 1
      if (child >= end) isDone = true
      else {
        val right = child + 1
        if (
          right < end &&
          TopRows.isBefore(distances(child), rows(child), distances(right), rows(right))
        ) child = right
        if (TopRows.isBefore(distance, row, distances(child), rows(child))) {
          distances(at) = distances(child)
          rows(at) = rows(child)
          at = child
        } else isDone = true
      }
    }
    distances(at) = distance
    rows(at) = row
  }
}

object TopRows {

  /** Whether a row is nearer than another one. */
  def isBefore(distance: Float, row: Long, otherDistance: Float, otherRow: Long): Boolean =
    if (distance < otherDistance) true
    else if (distance > otherDistance) false
    else if (distance == otherDistance) java.lang.Long.compareUnsigned(row, otherRow) < 0
    else {
      val order = java.lang.Boolean.compare(distance.isNaN, otherDistance.isNaN)
      order < 0 || order == 0 && java.lang.Long.compareUnsigned(row, otherRow) < 0
    }
}

/** Rows with their distances, nearest first.
  *
  * @param rows rows in the form of the index, or their addresses
  * @param distances distance of each row
  */
final class FoundRows(val rows: Array[Long], val distances: Array[Float]) extends Serializable {

  def numRows: Int = rows.length

  /** Returns the first rows. */
  def take(numRows: Int): FoundRows =
    if (numRows >= this.numRows) this
    else new FoundRows(rows.take(numRows), distances.take(numRows))

  /** Returns each row once, at its smallest distance. */
  def distinct: FoundRows = {
    val seen = scala.collection.mutable.HashSet.empty[Long]
    val first = rows.indices.filter(i => seen.add(rows(i))).toArray
    if (first.length == numRows) this else new FoundRows(first.map(rows), first.map(distances))
  }

  /** Returns the rows with mapped distances, nearest first. */
  def withDistances(of: Float => Float): FoundRows = new FoundRows(rows, distances.map(of))

  override def toString: String = rows.zip(distances).mkString("FoundRows(", ", ", ")")
}

object FoundRows {
  val empty: FoundRows = new FoundRows(Array.emptyLongArray, Array.emptyFloatArray)

  /** Returns the nearest rows of several results, whose distances are on the same scale. */
  def merge(results: Iterable[FoundRows], limit: Int): FoundRows =
    if (results.size == 1) results.head.take(limit)
    else {
      val top = new TopRows(limit)
      results.foreach { r =>
        var i = 0
        while (i < r.numRows) {
          top.offer(r.distances(i), r.rows(i))
          i += 1
        }
      }
      top.result()
    }
}
