// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

/** Splits text into tokens, before they are filtered. Not thread-safe. Hot code: imperative. */
private[analysis] trait BaseTokenizer {

  /** Calls `f` on each token, in order. */
  def apply(text: String, f: TokenConsumer): Unit
}

/** Receives tokens, which are the characters `[from, until)` of a text.
  *
  * Positions start at 0 and count tokens. Tokens at the same position are alternatives.
  */
private[analysis] trait TokenConsumer {
  def token(text: String, from: Int, until: Int, position: Int): Unit
}

private[analysis] object BaseTokenizer {

  /** Returns the tokenizer with these parameters.
    *
    * @throws UnsupportedFeatureException if the tokenizer is not supported, or its library is
    *   missing
    */
  def of(parameters: AnalyzerParameters): BaseTokenizer = parameters.baseTokenizer match {
    case "simple" => new Runs(Characters.isAlphanumeric(_))
    case "whitespace" => new Runs(!Characters.isAsciiSpace(_))
    case "raw" => Raw
    case "ngram" =>
      new NGrams(parameters.minNgramLength, parameters.maxNgramLength, parameters.prefixOnly)
    case "code" => new CodeTokenizer(parameters)
    case "icu" => IcuTokenizer(splits = false)
    case "icu/split" => IcuTokenizer(splits = true)
    case other => AnalyzerParameters.unsupportedTokenizer(other)
  }

  /** Returns maximal runs of code points of a class. */
  final private class Runs(isInside: Int => Boolean) extends BaseTokenizer {
    def apply(text: String, f: TokenConsumer): Unit = {
      var at = 0
      var start = -1
      var position = 0
      while (at < text.length) {
        val point = text.codePointAt(at)
        if (isInside(point)) { if (start < 0) start = at }
        else if (start >= 0) {
          f.token(text, start, at, position)
          position += 1
          start = -1
        }
        at += Character.charCount(point)
      }
      if (start >= 0) f.token(text, start, at, position)
    }
  }

  /** Returns the whole text, even if it is empty. */
  private object Raw extends BaseTokenizer {
    def apply(text: String, f: TokenConsumer): Unit = f.token(text, 0, text.length, 0)
  }

  /** Returns all sequences of `min` to `max` code points at position 0, by start and then by
    * length.
    */
  final private class NGrams(min: Int, max: Int, prefixOnly: Boolean) extends BaseTokenizer {
    def apply(text: String, f: TokenConsumer): Unit = {
      val numPoints = text.codePointCount(0, text.length)
      var start = 0
      var first = 0
      val lastFirst = if (prefixOnly) math.min(0, numPoints - min) else numPoints - min
      while (first <= lastFirst) {
        var length = min
        var end = text.offsetByCodePoints(start, min)
        f.token(text, start, end, 0)
        while (length < max && end < text.length) {
          end = text.offsetByCodePoints(end, 1)
          f.token(text, start, end, 0)
          length += 1
        }
        start = text.offsetByCodePoints(start, 1)
        first += 1
      }
    }
  }
}
