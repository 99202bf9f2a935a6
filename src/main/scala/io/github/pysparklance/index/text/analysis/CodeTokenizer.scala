// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

/** Splits source code into identifiers, their words, and operators.
  *
  * An identifier is a run of alphanumeric code points and `_`. With `splitIdentifiers`, the words
  * of `parseHTML2JSON` are `parse`, `HTML`, `2`, and `JSON`; each word has a separate position, and
  * the identifier has the position of its first word. Hot code: imperative.
  */
final private[analysis] class CodeTokenizer(parameters: AnalyzerParameters) extends BaseTokenizer {
  import CodeTokenizer._

  def apply(text: String, f: TokenConsumer): Unit = {
    var at = 0
    var position = 0
    while (at < text.length) {
      val point = text.codePointAt(at)
      val start = at
      if (isIdentifier(point)) {
        while (at < text.length && isIdentifier(text.codePointAt(at)))
          at += Character.charCount(text.codePointAt(at))
        position += identifier(text, start, at, position, f)
      } else if (parameters.indexOperators && point < 0x80 && operators.indexOf(point) >= 0) {
        at += longOperators.find(text.startsWith(_, start)).fold(1)(_.length)
        f.token(text, start, at, position)
        position += 1
      } else at += Character.charCount(point)
    }
  }

  /** Returns the number of positions that the identifier takes. */
  private def identifier(
      text: String,
      from: Int,
      until: Int,
      position: Int,
      f: TokenConsumer
  ): Int = {
    val words =
      if (parameters.splitIdentifiers) wordsOf(text, from, until) else IndexedSeq.empty
    if (words.length <= 1) {
      f.token(text, from, until, position)
      1
    } else {
      if (parameters.preserveOriginal) f.token(text, from, until, position)
      words.indices.foreach { i =>
        f.token(text, words(i)._1, words(i)._2, position + i)
      }
      words.length
    }
  }

  private def wordsOf(text: String, from: Int, until: Int): IndexedSeq[(Int, Int)] = {
    val words = IndexedSeq.newBuilder[(Int, Int)]
    var start = -1
    var previous = 0
    var at = from
    while (at < until) {
      val point = text.codePointAt(at)
      val next = at + Character.charCount(point)
      if (point == '_') {
        if (start >= 0) words += start -> at
        start = -1
      } else if (start < 0) start = at
      else {
        val following = if (next < until) text.codePointAt(next) else '_'.toInt
        if (isBoundary(previous, point, following)) {
          words += start -> at
          start = at
        }
      }
      previous = point
      at = next
    }
    if (start >= 0) words += start -> until
    words.result()
  }

  private def isBoundary(previous: Int, point: Int, following: Int): Boolean =
    parameters.splitOnNumerics && isDigit(previous) != isDigit(point) ||
      Characters.isUpper(point) &&
      (Characters.isLower(previous) ||
        Characters.isUpper(previous) && Characters.isLower(following))

  private def isDigit(point: Int): Boolean = point >= '0' && point <= '9'
}

private object CodeTokenizer {
  private def isIdentifier(point: Int): Boolean =
    point == '_' || Characters.isAlphanumeric(point)

  private val operators = "!%&*+-/:<=>?^|~"

  /** Operators of several characters, longest first. */
  private val longOperators: Seq[String] =
    (">>>= <<= >>= &&= ||= ??= **= //= === !== >>> <=> :: -> => == != <= >= && || ++ -- += -= *= /= " +
      "%= &= |= ^= << >> ** // ?? := <- |> ~=").split(' ').toIndexedSeq.sortBy(-_.length)
}
