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
  *   .*@.*                 N * N          N is the length of the text
  *   (a+)+                 infinite       a repeated group that matches in several ways
  *   (^){500}              500            a group that can match the empty text
  * }}}
  */
private[shim] object PatternCost {

  /** Maximum unbounded repetitions of an accepted pattern. */
  private val maxUnbounded = 3

  /** Maximum ways of all other parts together, such as the alternatives of an IPv6 address. */
  private val maxChoices = 1e5

  /** A repetition with more choices counts as unbounded. */
  private val manyRepetitions = 100

  /** Larger numbers of repetitions count as unbounded, and are rejected as a minimum: an atom that
    * matches the empty text is repeated this often at each position.
    */
  private val maxRepetitions = 1000

  /** Maximum wildcards of a LIKE pattern, which becomes a regular expression. */
  private val maxWildcards = 3

  /** The ways of a part of a pattern: `choices * N ^ unbounded`. */
  final private case class Ways(choices: Double, unbounded: Double = 0) {
    def *(other: Ways): Ways = Ways(choices * other.choices, unbounded + other.unbounded)
    def +(other: Ways): Ways =
      Ways(choices + other.choices, math.max(unbounded, other.unbounded))

    /** The ways of `n` repetitions. */
    def pow(n: Int): Ways =
      if (n == 0) one else Ways(math.pow(choices, n.toDouble), unbounded * n)

    def atLeast(n: Double): Ways = copy(choices = math.max(choices, n))
    def isOne: Boolean = choices <= 1 && unbounded == 0
    def isHigh: Boolean = !(choices <= maxChoices && unbounded <= maxUnbounded)
  }

  private val one = Ways(1)
  private val unlimited = Ways(Double.PositiveInfinity)

  /** Whether a regular expression can take exponential time, or cannot be estimated. */
  def isHigh(pattern: String): Boolean = new Estimate(pattern).ways.isHigh

  /** Whether a LIKE pattern has too many `%`. */
  def isHighLike(pattern: String): Boolean = pattern.count(_ == '%') > maxWildcards

  /** Adds up the ways of alternatives, and multiplies the ways of a sequence. */
  final private class Estimate(pattern: String) {
    private var at = 0

    def ways: Ways = {
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

    private def alternatives(): Ways = {
      var sum = sequence()
      while (skip("|")) sum += sequence()
      sum
    }

    private def sequence(): Ways = {
      var product = one
      while (at < pattern.length && !has("|") && !has(")")) {
        val isEmpty = canBeEmpty
        product *= repeated(atom(), isEmpty)
      }
      product
    }

    /** Whether the next atom can match the empty text: a group, an anchor, or a reference. */
    private def canBeEmpty: Boolean =
      has("(") || has("^") || has("$") ||
        has("\\") && at + 1 < pattern.length && "bBAGzZk123456789".contains(pattern.charAt(at + 1))

    private def atom(): Ways =
      if (skip("(")) group()
      else if (skip("[")) characterClass()
      else if (skip("\\")) escape()
      // Java repeats the empty text, as often as the braces say.
      else if (has("{")) unlimited
      else {
        at += 1
        one
      }

    private def escape(): Ways =
      if (skip("Q")) {
        // Java removes an empty quote first, so that `(a+)\Q\E+` is `(a+)+`.
        val isEmpty = has("\\E")
        skipBehind("\\E")
        if (isEmpty) unlimited else one
      } else if (skip("c")) {
        // Java takes a backslash behind it as the start of a quote first.
        val isClear = !has("\\")
        at += 1
        if (isClear) one else unlimited
      } else {
        val takesName = "pPxN".exists(c => has(s"$c{"))
        // \r\n is one line break, or two.
        val ways = if (has("R")) Ways(2) else one
        val isReference = has("k<")
        at += 1
        if (takesName) skipBehind("}") else if (isReference) skipBehind(">")
        ways
      }

    private def group(): Ways = {
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

    private def characterClass(): Ways = {
      var depth = 1
      skip("^")
      var isClear = !has("]")
      while (depth > 0 && at < pattern.length) {
        // Java and this class may see the end of such a class at different places.
        if (has("\\Q") || has("[]") || has("[^]")) isClear = false
        if (skip("\\")) {
          if (escape() == unlimited) isClear = false
        } else {
          if (has("[")) depth += 1 else if (has("]")) depth -= 1
          at += 1
        }
      }
      if (depth > 0 || !isClear) unlimited else one
    }

    /** Returns the ways of an atom with the repetitions behind it.
      *
      * @param isEmpty whether the atom can match the empty text
      */
    private def repeated(once: Ways, isEmpty: Boolean): Ways = {
      val isSingle = !has("?") && !has("*") && !has("+") && !has("{")
      if (isSingle) once
      else {
        val found =
          if (skip("?")) once + one
          else if (skip("*") || skip("+")) unbounded(once)
          else {
            at += 1
            counted(once, isEmpty)
          }
        // Lazy and possessive repetitions.
        if (has("?") || has("+")) at += 1
        found
      }
    }

    private def unbounded(once: Ways): Ways = if (once.isOne) Ways(1, 1) else unlimited

    private def counted(once: Ways, isEmpty: Boolean): Ways = {
      val from = at
      skipBehind("}")
      def isFew(n: Int) = n >= 0 && n <= maxRepetitions
      def atLeast(n: Int) = if (isEmpty) n.toDouble else 1.0
      pattern.substring(from, at).stripSuffix("}").split(",", -1).toList.map(Parse.int) match {
        case List(Some(n)) if isFew(n) => once.pow(n).atLeast(atLeast(n))
        case List(Some(n), Some(m)) if isFew(n) && isFew(m) && n <= m =>
          if (once.isOne && !isEmpty && m - n > manyRepetitions) unbounded(once)
          else (n to m).map(once.pow).reduce(_ + _).atLeast(atLeast(m))
        case List(Some(n), _) if isFew(n) => unbounded(once)
        case _ => unlimited
      }
    }
  }
}
