// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import io.github.pysparklance.index.text.snowball._

/** Reduces words to their stems, by the Snowball algorithm of a language. Not thread-safe.
  *
  * Source: https://snowballstem.org.
  */
final private[analysis] class Stemmer(program: SnowballStemmer) {
  import Stemmer.firstPrivate

  /** Returns the stem of a word in lower case. */
  def apply(word: String): String =
    if (word.exists(Character.isSurrogate)) ofPoints(word) else stem(word)

  private def stem(word: String): String = {
    program.setCurrent(word)
    program.stem(): Unit
    program.getCurrent
  }

  /** The algorithms count code points, but the program counts chars. No rule contains code points
    * of two chars, so they are replaced before stemming, and restored afterwards.
    */
  private def ofPoints(word: String): String = {
    val large = word.codePoints.toArray.filter(_ > 0xffff).distinct
    val replaced = new java.lang.StringBuilder
    word.codePoints.forEach { point =>
      replaced.appendCodePoint(if (point > 0xffff) firstPrivate + large.indexOf(point)
      else point): Unit
    }
    val result = new java.lang.StringBuilder
    stem(replaced.toString).foreach { c =>
      val i = c - firstPrivate
      result.appendCodePoint(if (i >= 0 && i < large.length) large(i) else c.toInt): Unit
    }
    result.toString
  }
}

private[analysis] object Stemmer {

  /** The first private-use code point. */
  private val firstPrivate = 0xe000

  /** Returns a new stemmer of a language.
    *
    * @param isEarly whether to use the algorithms before version 3 of Snowball
    */
  def of(language: Language, isEarly: Boolean = false): Stemmer =
    new Stemmer(if (isEarly) ofEarlyRelease(language) else current(language))

  private def current(language: Language): SnowballStemmer = language match {
    case Language.Arabic => new ArabicStemmer
    case Language.Danish => new DanishStemmer
    case Language.Dutch => new DutchStemmer
    case Language.English => new EnglishStemmer
    case Language.Finnish => new FinnishStemmer
    case Language.French => new FrenchStemmer
    case Language.German => new GermanStemmer
    case Language.Greek => new GreekStemmer
    case Language.Hungarian => new HungarianStemmer
    case Language.Italian => new ItalianStemmer
    case Language.Norwegian => new NorwegianStemmer
    case Language.Portuguese => new PortugueseStemmer
    case Language.Romanian => new RomanianStemmer
    case Language.Russian => new RussianStemmer
    case Language.Spanish => new SpanishStemmer
    case Language.Swedish => new SwedishStemmer
    case Language.Tamil => new TamilStemmer
    case Language.Turkish => new TurkishStemmer
  }

  private def ofEarlyRelease(language: Language): SnowballStemmer = language match {
    case Language.Danish => new early.DanishStemmer
    case Language.Dutch => new early.DutchStemmer
    case Language.English => new early.EnglishStemmer
    case Language.Finnish => new early.FinnishStemmer
    case Language.French => new early.FrenchStemmer
    case Language.German => new early.GermanStemmer
    case Language.Norwegian => new early.NorwegianStemmer
    case Language.Romanian => new early.RomanianStemmer
    case Language.Russian => new early.RussianStemmer
    case Language.Spanish => new early.SpanishStemmer
    case Language.Swedish => new early.SwedishStemmer
    // The algorithms of the other languages did not change.
    case other => current(other)
  }
}
