// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import io.github.pysparklance.core.Parse

/** Estimates in how many ways a regular expression can match a text, because Java tries all of them
  * if none succeeds. A stored expression with such a pattern could run for years.
  *
  * {{{
  *   [0-9]{4}-[0-9]{2}     1              fixed repetitions of one character
  *   ^a?b{1,3}$            2 * 3
  *   .*@.*                 N * N          N is an assumed length of the text
  *   (a+)+                 infinite       a repeated group that matches in several ways
  *   (^){500}              500            a group that can match the empty text
  * }}}
  */
private[shim] object PatternCost {

  /** Maximum ways of an accepted pattern: three unbounded repetitions and a few optional parts. */
  private val maxWays = 1e15

  /** Assumed length of a text. */
  private val textLength = 1e4

  /** Larger numbers of repetitions count as unbounded, and are rejected as a minimum: an atom that
    * matches the empty text is repeated this often at each position.
    */
  private val maxRepetitions = 1000

  /** Maximum wildcards of a LIKE pattern, which becomes a regular expression. */
  private val maxWildcards = 3

  private val unlimited = Double.PositiveInfinity

  /** Whether a regular expression can take exponential time, or cannot be estimated. */
  def isHigh(pattern: String): Boolean = !(new Estimate(pattern).ways <= maxWays)

  /** Whether a LIKE pattern has too many `%`. */
  def isHighLike(pattern: String): Boolean = pattern.count(_ == '%') > maxWildcards

  /** Adds up the ways of alternatives, and multiplies the ways of a sequence. */
  final private class Estimate(pattern: String) {
    private var at = 0

    def ways: Double = {
      val found = alternatives()
      // The rest begins with a closing parenthesis.
      if (at < pattern.length) unlimited else found
    }

    private def has(text: String): Boolean = pattern.startsWith(text, at)

    private def skip(text: String): Boolean = {
      val found = has(text)
      if (found) at += text.length
      found
    }

    private def skipBehind(end: String): Unit = {
      val found = pattern.indexOf(end, at)
      at = if (found < 0) pattern.length else found + end.length
    }

    private def alternatives(): Double = {
      var sum = sequence()
      while (skip("|")) sum += sequence()
      sum
    }

    private def sequence(): Double = {
      var product = 1.0
      while (at < pattern.length && !has("|") && !has(")")) {
        val isGroup = has("(")
        product *= repeated(atom(), isGroup)
      }
      product
    }

    private def atom(): Double =
      if (skip("(")) group()
      else if (skip("[")) characterClass()
      else if (skip("\\")) escape()
      else {
        at += 1
        1
      }

    private def escape(): Double = {
      if (skip("Q")) skipBehind("\\E")
      else if (skip("c")) at += 1
      else {
        val takesName = "pPxN".exists(c => has(s"$c{"))
        at += 1
        if (takesName) skipBehind("}")
      }
      1
    }

    private def group(): Double = {
      val from = at
      if (skip("?")) {
        // Flags, the kind of a look-around, or a name.
        while (at < pattern.length && !":=!>)".contains(pattern.charAt(at))) at += 1
        // The flag x allows spaces and comments everywhere.
        if (!has(">") && pattern.substring(from, at).contains("x")) at = pattern.length
        else if (!has(")")) at += 1
      }
      val found = alternatives()
      if (skip(")")) found else unlimited
    }

    private def characterClass(): Double = {
      var depth = 1
      skip("^")
      var isClear = !has("]")
      while (depth > 0 && at < pattern.length) {
        // Java and this class may see the end of such a class at different places.
        if (has("\\Q") || has("[]") || has("[^]")) isClear = false
        if (skip("\\")) escape(): Unit
        else {
          if (has("[")) depth += 1 else if (has("]")) depth -= 1
          at += 1
        }
      }
      if (depth > 0 || !isClear) unlimited else 1
    }

    /** Returns the ways of an atom with the repetitions behind it. */
    private def repeated(once: Double, isGroup: Boolean): Double = {
      val isSingle = !has("?") && !has("*") && !has("+") && !has("{")
      if (isSingle) once
      else {
        val found =
          if (skip("?")) once + 1
          else if (skip("*") || skip("+")) unbounded(once)
          else {
            at += 1
            counted(once, isGroup)
          }
        // Lazy and possessive repetitions.
        if (has("?") || has("+")) at += 1
        found
      }
    }

    private def unbounded(once: Double): Double = if (once <= 1) textLength else unlimited

    private def counted(once: Double, isGroup: Boolean): Double = {
      val from = at
      skipBehind("}")
      def isFew(n: Int) = n >= 0 && n <= maxRepetitions
      def atLeast(n: Int) = if (isGroup) n.toDouble else 1.0
      pattern.substring(from, at).stripSuffix("}").split(",", -1).toList.map(Parse.int) match {
        case List(Some(n)) if isFew(n) => math.max(atLeast(n), math.pow(once, n.toDouble))
        case List(Some(n), Some(m)) if isFew(n) && isFew(m) && n <= m =>
          math.max(atLeast(m), (n to m).map(i => math.pow(once, i.toDouble)).sum)
        case List(Some(n), _) if isFew(n) => unbounded(once)
        case _ => unlimited
      }
    }
  }
}
