// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.scalar

import java.text.Normalizer
import java.util.Locale

/** Converts text to lower case and folds its characters to ASCII, as Lance does before it splits
  * text into n-grams. Characters without an ASCII form stay. The result was compared with Lance for
  * every code point of Unicode 16.
  */
private[scalar] object AsciiFolding {

  /** Returns the text in lower case, folded. A few symbols fold to capital letters. */
  def apply(text: String): String = {
    val out = new StringBuilder(text.length)
    var at = 0
    while (at < text.length) {
      val point = text.codePointAt(at)
      if (point < 0x80) out.append(lower(point.toChar))
      else foldedLower(point, out)
      at += Character.charCount(point)
    }
    out.toString
  }

  private def lower(c: Char): Char = if (c >= 'A' && c <= 'Z') (c + 32).toChar else c

  private def foldedLower(point: Int, out: StringBuilder): Unit = {
    val lowered = new String(Character.toChars(point)).toLowerCase(Locale.ROOT)
    var at = 0
    while (at < lowered.length) {
      val part = lowered.codePointAt(at)
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
    "\uD801\uDFA5" -> "q"
  ).map { case (character, ascii) => character.codePointAt(0) -> ascii }
}
