// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.spi

import java.text.Normalizer
import java.util.Locale

/** Folds the characters of text to ASCII, as Lance does for n-grams and for terms of full-text
  * indices. Characters without an ASCII form stay. The result was compared with Lance for every
  * code point of Unicode 16.
  */
private[index] object AsciiFolding {

  /** Returns the text in lower case, folded. A few symbols fold to capital letters. */
  def lower(text: String): String = {
    val out = new StringBuilder(text.length)
    var at = 0
    while (at < text.length) {
      val point = text.codePointAt(at)
      if (point < 0x80) out.append(lower(point.toChar))
      else folded(new String(Character.toChars(point)).toLowerCase(Locale.ROOT), out)
      at += Character.charCount(point)
    }
    out.toString
  }

  /** Returns the text folded, in the case that it has. */
  def fold(text: String): String = {
    var at = 0
    while (at < text.length && text.charAt(at) < 0x80) at += 1
    if (at == text.length) text
    else {
      val out = new StringBuilder(text.length)
      folded(text, out)
      out.toString
    }
  }

  private def lower(c: Char): Char = if (c >= 'A' && c <= 'Z') (c + 32).toChar else c

  private def folded(text: String, out: StringBuilder): Unit = {
    var at = 0
    while (at < text.length) {
      val part = text.codePointAt(at)
      if (part < 0x80) out.append(part.toChar)
      else
        known(part) match {
          case Some(ascii) => out.append(ascii)
          case None => decomposed(part, out)
        }
      at += Character.charCount(part)
    }
  }

  private def decomposed(point: Int, out: StringBuilder): Unit = {
    val before = out.length
    val self = new String(Character.toChars(point))
    val parts = Normalizer.normalize(self, Normalizer.Form.NFKD)
    var at = 0
    while (at < parts.length) {
      val part = parts.codePointAt(at)
      if (part < 0x80) out.append(part.toChar) else known(part).foreach(out.append(_))
      at += Character.charCount(part)
    }
    if (out.length == before) out.append(self): Unit
  }

  /** Characters without a decomposition, or with a decomposition that old Java releases lack. */
  private def known(point: Int): Option[String] =
    if (point >= 0x1ccd6 && point <= 0x1ccef) Some(('A' + point - 0x1ccd6).toChar.toString)
    else if (point >= 0x1ccf0 && point <= 0x1ccf9) Some(('0' + point - 0x1ccf0).toChar.toString)
    else others.get(point)

  private val others: Map[Int, String] = Map(
    "ß" -> "ss",
    "ẞ" -> "SS",
    "Æ" -> "AE",
    "æ" -> "ae",
    "Œ" -> "OE",
    "œ" -> "oe",
    "Ø" -> "O",
    "ø" -> "o",
    "Ł" -> "L",
    "ł" -> "l",
    "Đ" -> "D",
    "Ð" -> "D",
    "đ" -> "d",
    "ð" -> "d",
    "Þ" -> "TH",
    "þ" -> "th",
    "Ħ" -> "H",
    "ħ" -> "h",
    "Ŧ" -> "T",
    "ŧ" -> "t",
    "Ŋ" -> "N",
    "ŋ" -> "n",
    "ı" -> "i",
    "ĸ" -> "k",
    "ſ" -> "s",
    "\uA7F1" -> "S",
    "\uA7F2" -> "C",
    "\uA7F3" -> "F",
    "\uA7F4" -> "Q",
    "\uD801\uDF83" -> "ae",
    "\uD801\uDF95" -> "h",
    "\uD801\uDFA2" -> "o",
    "\uD801\uDFA5" -> "q"
  ).map { case (character, ascii) => character.codePointAt(0) -> ascii }
}
