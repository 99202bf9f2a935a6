// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

/** The text between the wildcards of a `LIKE` pattern.
  *
  * @param prefix text before the first wildcard
  * @param others text after each wildcard
  */
final private[filter] case class LikeParts(prefix: Option[String], others: Seq[String]) {

  /** All parts. Matching strings contain them in this order. */
  def all: Seq[String] = prefix.toSeq ++ others
}

/** Parses patterns. */
private[filter] object LikeParts {

  /** Parses a pattern. Returns no parts if Spark rejects the pattern because of its escape
    * characters.
    */
  def apply(pattern: String, escape: Char): LikeParts = {
    val parts = Seq.newBuilder[String]
    val part = new StringBuilder
    var at = 0
    var isSound = true
    while (at < pattern.length) {
      val c = pattern.charAt(at)
      if (c == escape) {
        at += 1
        val next = if (at < pattern.length) pattern.charAt(at) else 0.toChar
        isSound &&= at < pattern.length && (next == '%' || next == '_' || next == escape)
        part += next
      } else if (c == '%' || c == '_') {
        parts += part.toString
        part.clear()
      } else part += c
      at += 1
    }
    parts += part.toString
    val found = parts.result()
    if (isSound) LikeParts(found.headOption, found.drop(1)) else LikeParts(None, Nil)
  }
}
