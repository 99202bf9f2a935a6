// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

/** A word, and the maximum number of edits by which similar words differ from it. An edit inserts,
  * deletes, or replaces a code point. Not thread-safe.
  *
  * @param prefixLength number of code points at the start that must be equal
  */
final private[text] class SimilarWord(word: String, val maxEdits: Int, prefixLength: Int) {
  private val prefixEnd =
    word.offsetByCodePoints(0, math.min(prefixLength, word.codePointCount(0, word.length)))

  /** The prefix of all similar words. */
  val prefix: String = word.substring(0, prefixEnd)

  private val rest = word.substring(prefixEnd).codePoints.toArray
  // One row of the edit distances for each code point of another word, see `push`.
  private var rows = Array.fill(16)(new Array[Int](rest.length + 1))
  rest.indices.foreach(i => rows(0)(i + 1) = i + 1)

  /** Whether a word is similar. */
  def isSimilarTo(other: String): Boolean = other.startsWith(prefix) && accepts(other)

  /** Whether a word with the prefix is similar. */
  def accepts(other: String): Boolean = {
    var at = prefixEnd
    var depth = 0
    var isPossible = true
    while (isPossible && at < other.length) {
      val point = other.codePointAt(at)
      isPossible = push(depth, point)
      depth += 1
      at += Character.charCount(point)
    }
    isPossible && isSimilar(depth)
  }

  /** Computes the distances after appending a code point to the word after the prefix.
    *
    * @param depth number of code points before this one, for which the rows are known
    * @return whether a word with this start may be similar
    */
  def push(depth: Int, point: Int): Boolean = {
    if (depth + 1 >= rows.length) grow()
    val before = rows(depth)
    val row = rows(depth + 1)
    row(0) = depth + 1
    var least = row(0)
    var i = 0
    while (i < rest.length) {
      val replaced = before(i) + (if (rest(i) == point) 0 else 1)
      row(i + 1) = math.min(replaced, math.min(before(i + 1), row(i)) + 1)
      if (row(i + 1) < least) least = row(i + 1)
      i += 1
    }
    least <= maxEdits
  }

  /** Whether the word with the first `depth` code points after the prefix is similar. */
  def isSimilar(depth: Int): Boolean = rows(depth)(rest.length) <= maxEdits

  private def grow(): Unit = rows = rows ++ Array.fill(rows.length)(new Array[Int](rest.length + 1))
}
