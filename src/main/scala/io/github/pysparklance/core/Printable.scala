// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Escapes characters in text from tables before people see it. Control characters can break log
  * lines or control a terminal, and bidirectional ones can disguise text. Line ends and tabs
  * remain.
  */
object Printable {

  /** Returns the text with all characters escaped that [[hides]] finds. */
  def apply(text: String): String =
    if (!hides(text)) text
    else text.flatMap(c => if (isHidden(c)) f"\\u${c.toInt}%04X" else c.toString)

  /** Like [[apply]] for a name or value on a single line: also escapes line ends and tabs. */
  def line(text: String): String =
    apply(text).flatMap {
      case '\n' => "\\n"
      case '\r' => "\\r"
      case '\t' => "\\t"
      case c => c.toString
    }

  /** Whether the text has characters that are not displayed as they are. */
  def hides(text: String): Boolean = text.exists(isHidden)

  private def isHidden(c: Char): Boolean =
    if (c < 0x7f) c < ' ' && c != '\n' && c != '\r' && c != '\t'
    else
      c <= 0x9f || c == 0x61c || c == 0x200e || c == 0x200f || c == 0xfeff ||
      c >= 0x2028 && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}
