// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import java.lang.Character.UnicodeScript
import java.util.BitSet

import scala.io.Source
import scala.util.Using

/** Classes of characters, with the definitions of the reference. They do not depend on the Unicode
  * version of Java, because the resource `characters.txt` lists all characters.
  *
  * {{{
  *   word <first> <last>                         code points of words
  *   upper <first> <last> <step>                 capital letters
  *   small <first> <last> <step>                 small letters
  *   lower <first> <last> <step> <difference>    conversion to lower case, by code point
  * }}}
  * Code points are hexadecimal.
  */
private[text] object Characters {
  private val words = new BitSet(0x20000)
  private val upperLetters = new BitSet
  private val lowerLetters = new BitSet
  private val lowerCases = new java.util.HashMap[Integer, Integer]
  load()

  private def load(): Unit = {
    val path = "/io/github/pysparklance/index/text/characters.txt"
    val stream = getClass.getResourceAsStream(path)
    if (stream == null) throw new IllegalStateException(s"the resource $path is missing")
    Using.resource(Source.fromInputStream(stream, "UTF-8"))(_.getLines().foreach { line =>
      val parts = line.split(' ')
      val (first, last) = (point(parts(1)), point(parts(2)))
      def points: Range = first to last by parts(3).toInt
      parts(0) match {
        case "word" => words.set(first, last + 1)
        case "upper" => points.foreach(upperLetters.set(_))
        case "small" => points.foreach(lowerLetters.set(_))
        case _ =>
          val difference = parts(4).toInt
          points.foreach(p => lowerCases.put(p, p + difference))
      }
    })
  }

  private def point(text: String): Int = Integer.parseInt(text, 16)

  /** Whether a code point belongs to a word, because it is alphabetic or a number of any kind. */
  def isAlphanumeric(point: Int): Boolean =
    if (point < 0x80)
      point >= 'a' && point <= 'z' || point >= 'A' && point <= 'Z' || point >= '0' && point <= '9'
    else words.get(point)

  def isUpper(point: Int): Boolean = upperLetters.get(point)

  def isLower(point: Int): Boolean = lowerLetters.get(point)

  /** Whether a code point is white space of ASCII. A vertical tab is not. */
  def isAsciiSpace(point: Int): Boolean =
    point == ' ' || point == '\t' || point == '\n' || point == '\r' || point == '\f'

  /** Converts each code point to lower case separately, so a final sigma equals any other sigma. */
  def lower(text: String): String = {
    var at = 0
    while (at < text.length && isUnchanged(text.charAt(at))) at += 1
    if (at == text.length) text
    else {
      val out = new java.lang.StringBuilder(text.length).append(text, 0, at)
      while (at < text.length) {
        val point = text.codePointAt(at)
        if (point == 0x130) out.append("i\u0307") // the only one with two code points
        else out.appendCodePoint(lower(point))
        at += Character.charCount(point)
      }
      out.toString
    }
  }

  private def lower(point: Int): Int =
    if (point < 0x80) { if (point >= 'A' && point <= 'Z') point + 32 else point }
    else lowerCases.getOrDefault(point, point)

  /** Whether lower case certainly does not change a character. */
  private def isUnchanged(c: Char): Boolean = c < 0x80 && !(c >= 'A' && c <= 'Z')

  /** Whether a text has letters of languages that are written without spaces. */
  def needDictionary(text: String): Boolean =
    text.codePoints.anyMatch(point => scriptsWithoutSpaces.contains(UnicodeScript.of(point)))

  private val scriptsWithoutSpaces = java.util.EnumSet.of(
    UnicodeScript.HAN,
    UnicodeScript.HIRAGANA,
    UnicodeScript.KATAKANA,
    UnicodeScript.THAI,
    UnicodeScript.LAO,
    UnicodeScript.KHMER,
    UnicodeScript.MYANMAR,
    UnicodeScript.TAI_LE,
    UnicodeScript.NEW_TAI_LUE,
    UnicodeScript.TAI_THAM,
    UnicodeScript.TAI_VIET
  )

  /** Number of bytes in UTF-8. An unpaired surrogate counts as the replacement character. */
  def utf8Length(text: CharSequence, from: Int, until: Int): Int = {
    var bytes = 0
    var at = from
    while (at < until) {
      val c = text.charAt(at)
      if (c < 0x80) bytes += 1
      else if (c < 0x800) bytes += 2
      else if (
        Character.isHighSurrogate(c) && at + 1 < until &&
        Character.isLowSurrogate(text.charAt(at + 1))
      ) {
        bytes += 4
        at += 1
      } else bytes += 3
      at += 1
    }
    bytes
  }
}
