// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** Text of a table as it is shown to people. Control characters could end a line of a log or steer a terminal, and
  * bidirectional ones make text look like other text; both are escaped. Line ends and tabs stay in text of several
  * lines.
  */
object Printable {

  /** The text, with every character that [[hides]] something escaped. */
  def apply(text: String): String =
    if (!hides(text)) text
    else text.flatMap(c => if (isHidden(c)) f"\\u${c.toInt}%04X" else c.toString)

  /** The same for a name or a value on one line: line ends and tabs are escaped, too. */
  def line(text: String): String =
    apply(text).flatMap {
      case '\n' => "\\n"
      case '\r' => "\\r"
      case '\t' => "\\t"
      case c => c.toString
    }

  /** Whether the text has characters that are not shown as what they are. */
  def hides(text: String): Boolean = text.exists(isHidden)

  private def isHidden(c: Char): Boolean =
    if (c < 0x7f) c < ' ' && c != '\n' && c != '\r' && c != '\t'
    else
      c <= 0x9f || c == 0x61c || c == 0x200e || c == 0x200f || c == 0xfeff ||
      c >= 0x2028 && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}
