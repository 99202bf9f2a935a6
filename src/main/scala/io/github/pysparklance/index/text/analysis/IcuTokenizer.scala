// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import com.ibm.icu.text.BreakIterator
import com.ibm.icu.util.ULocale

import io.github.pysparklance.core.UnsupportedFeatureException

/** Splits text into words by the rules of Unicode, and by dictionaries for languages without
  * spaces.
  *
  * @param splits whether all characters that are not alphanumeric, such as `_`, end words
  */
final private class IcuTokenizer private (splits: Boolean) extends BaseTokenizer {
  import IcuTokenizer._

  private val breaks = BreakIterator.getWordInstance(ULocale.ROOT)

  def apply(text: String, f: TokenConsumer): Unit = {
    breaks.setText(text)
    var from = breaks.first()
    var until = breaks.next()
    var position = 0
    while (until != BreakIterator.DONE) {
      var at = from
      var start = from
      var hasWord = false
      while (at < until) {
        val point = text.codePointAt(at)
        val next = at + Character.charCount(point)
        if (Characters.isAlphanumeric(point)) hasWord = true
        else if (splits || isColon(point)) {
          if (hasWord) {
            f.token(text, start, at, position)
            position += 1
          }
          hasWord = false
          start = next
        }
        at = next
      }
      if (hasWord) {
        f.token(text, start, until, position)
        position += 1
      }
      from = until
      until = breaks.next()
    }
  }
}

private[analysis] object IcuTokenizer {

  /** Whether a character always ends words. Since ICU 77, it does not end words between letters. */
  private def isColon(point: Int): Boolean = point == ':' || point == 0xfe55 || point == 0xff1a

  /** @throws UnsupportedFeatureException if ICU is not on the class path. Spark 4.0 and later
    *   include it
    */
  def apply(splits: Boolean): BaseTokenizer =
    try new IcuTokenizer(splits)
    catch {
      case e: LinkageError =>
        throw new UnsupportedFeatureException(
          "a full-text index with the tokenizer 'icu' without ICU; add com.ibm.icu:icu4j to the class path",
          cause = e
        )
    }
}
