// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

/** The text between the wildcards of a `LIKE` pattern.
  *
  * @param prefix the text before the first wildcard
  * @param others the text behind each wildcard
  */
final private[filter] case class LikeParts(prefix: Option[String], others: Seq[String]) {

  /** All parts; every string that matches has them in this order. */
  def all: Seq[String] = prefix.toSeq ++ others
}

private[filter] object LikeParts {

  /** No parts of a pattern that Spark rejects: one that ends with the escape character, or has it before another one. */
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
