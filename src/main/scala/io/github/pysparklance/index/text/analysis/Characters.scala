// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import java.lang.Character.UnicodeScript

/** Classes of characters as the reference defines them. */
private[text] object Characters {

  /** Whether a code point belongs to a word: it is alphabetic, or a number of any kind. */
  def isAlphanumeric(point: Int): Boolean =
    if (point < 0x80)
      point >= 'a' && point <= 'z' || point >= 'A' && point <= 'Z' || point >= '0' && point <= '9'
    else
      Character.isAlphabetic(point) || isLateAlphabetic(point) || {
        val kind = Character.getType(point)
        kind == Character.DECIMAL_DIGIT_NUMBER || kind == Character.LETTER_NUMBER ||
        kind == Character.OTHER_NUMBER
      }

  /** Whether a code point is alphabetic only since a version of Unicode that old Java releases lack:
    * combining letters.
    */
  private def isLateAlphabetic(point: Int): Boolean = point >= 0x363 && point <= 0x36f

  /** Whether a code point is white space of ASCII. A vertical tab is not. */
  def isAsciiSpace(point: Int): Boolean =
    point == ' ' || point == '\t' || point == '\n' || point == '\r' || point == '\f'

  /** Converts each code point to lower case by itself, so that a final sigma is like any other. */
  def lower(text: String): String = {
    var at = 0
    while (at < text.length && isLower(text.charAt(at))) at += 1
    if (at == text.length) text
    else {
      val out = new java.lang.StringBuilder(text.length).append(text, 0, at)
      while (at < text.length) {
        val point = text.codePointAt(at)
        if (point == 0x130) out.append("i\u0307") // the only one with two code points
        else out.appendCodePoint(Character.toLowerCase(point))
        at += Character.charCount(point)
      }
      out.toString
    }
  }

  /** Whether a character is known to stay as it is. */
  private def isLower(c: Char): Boolean = c < 0x80 && !(c >= 'A' && c <= 'Z')

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

  /** Number of bytes in UTF-8. Unpaired surrogates count like the replacement character. */
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
