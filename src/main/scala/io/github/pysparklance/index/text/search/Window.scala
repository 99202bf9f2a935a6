// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

/** A range of documents that is covered by one block of each list. */
final private[search] class Window(val cursors: Array[PostingCursor]) {
  val bounds = new Array[Float](cursors.length)

  /** Numbers of the cursors, by ascending bound. */
  val byBound: Array[Int] = cursors.indices.toArray

  /** Upper bound of scores in the window. Bounds are added in the order of the terms, as scores
    * are, so that it is exact: rounding keeps the order of sums.
    */
  var total = 0f

  /** The first document after the window. */
  var end = 0

  /** Moves the window to a document. */
  def start(doc: Int): Unit = {
    bound(doc)
    sort()
  }

  /** Moves the window without [[byBound]]. */
  def bound(doc: Int): Unit = {
    total = 0f
    end = PostingCursor.end
    var i = 0
    while (i < cursors.length) {
      val cursor = cursors(i)
      if (cursor.doc == PostingCursor.end) bounds(i) = 0f
      else {
        cursor.moveBound(doc)
        bounds(i) = cursor.bound
        end = math.min(end, cursor.boundEnd)
      }
      total += bounds(i)
      i += 1
    }
  }

  private def sort(): Unit = {
    var i = 1
    while (i < byBound.length) {
      val moved = byBound(i)
      var to = i
      while (to > 0 && bounds(byBound(to - 1)) > bounds(moved)) {
        byBound(to) = byBound(to - 1)
        to -= 1
      }
      byBound(to) = moved
      i += 1
    }
  }
}
