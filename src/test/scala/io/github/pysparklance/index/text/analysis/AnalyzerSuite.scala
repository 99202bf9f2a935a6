// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}

class AnalyzerSuite extends AnyFunSuite {

  private def terms(parameters: AnalyzerParameters, text: String): Seq[(String, Int)] = {
    new Analyzer(parameters).terms(text)
  }

  private def plain(baseTokenizer: String): AnalyzerParameters = AnalyzerParameters(
    baseTokenizer,
    maxTokenLength = None,
    lowerCase = false,
    stem = false,
    removeStopWords = false,
    asciiFolding = false
  )

  private def words(parameters: AnalyzerParameters, text: String): Seq[String] =
    terms(parameters, text).map(_._1)

  test("words, with gaps for stop words") {
    assert(terms(AnalyzerParameters.default, "The quick Foxes are running, over 2 Cafés!") == Seq(
      "quick" -> 1,
      "fox" -> 2,
      "run" -> 4,
      "2" -> 6,
      "cafe" -> 7
    ))
    assert(terms(AnalyzerParameters.default, "").isEmpty)
    assert(terms(AnalyzerParameters.default, "the of and").isEmpty)
  }

  test("runs of alphanumeric characters") {
    assert(words(plain("simple"), "a_b-c½①²Ⅷ x日本\u0301y 😀\uD835\uDD04z") ==
      Seq("a", "b", "c½①²Ⅷ", "x日本", "y", "\uD835\uDD04z"))
  }

  test("white space of ASCII") {
    assert(words(plain("whitespace"), "a\tb\u000bc\u00a0d\fe\r\nf") ==
      Seq("a", "b\u000bc\u00a0d", "e", "f"))
  }

  test("long tokens are dropped by their bytes, before lower case") {
    val parameters = plain("simple").copy(maxTokenLength = Some(40))
    assert(words(parameters, s"${"a" * 39} ${"a" * 40} ${"é" * 19} ${"é" * 20}") ==
      Seq("a" * 39, "é" * 19))
  }

  test("each code point has its own lower case") {
    val lower = plain("simple").copy(lowerCase = true)
    assert(words(lower, "ΣΑΣ İI ẞ \uD801\uDC00") == Seq("σασ", "i\u0307i", "ß", "\uD801\uDC28"))
  }

  test("folding to ASCII") {
    val folding = plain("simple").copy(asciiFolding = true)
    assert(words(folding, "Straße Æsir ½ 日本 ﬁn Ångström ŁÓDŹ") ==
      Seq("Strasse", "AEsir", "12", "日本", "fin", "Angstrom", "LODZ"))
  }

  test("n-grams") {
    val grams = AnalyzerParameters.of("ngram").copy(minNgramLength = 2, maxNgramLength = 3)
    assert(terms(grams, "Abc d") == Seq("ab", "abc", "bc", "bc ", "c ", "c d", " d").map(_ -> 0))
    assert(words(grams.copy(prefixOnly = true), "Abcd") == Seq("ab", "abc"))
    assert(terms(grams, "a").isEmpty)
    assert(words(grams, "😀é日") == Seq("😀e", "😀e日", "e日"))
  }

  test("identifiers and operators of code") {
    val code = AnalyzerParameters.of("code")
    assert(words(code, "std::vector<int> user_name") == Seq("std", "vector", "int", "user_name"))
    assert(words(code.copy(indexOperators = true), "a::b>>>=c!d(e)") ==
      Seq("a", "::", "b", ">>>=", "c", "!", "d", "e"))
    val split = code.copy(splitIdentifiers = true)
    assert(terms(split, "parseHTML2JSON x userName_v2") == Seq(
      "parsehtml2json" -> 0,
      "parse" -> 0,
      "html" -> 1,
      "2" -> 2,
      "json" -> 3,
      "x" -> 4,
      "username_v2" -> 5,
      "user" -> 5,
      "name" -> 6,
      "v" -> 7,
      "2" -> 8
    ))
  }

  test("stems of early releases of the writer") {
    def early(language: Language, text: String): Seq[String] =
      new Analyzer(
        plain("simple").copy(language = language, stem = true),
        isEarly = true
      ).terms(text).map(_._1)
    assert(early(Language.English, "universities evening added") == Seq("univers", "even", "ad"))
    assert(early(Language.Dutch, "worden") == Seq("word"))
    assert(early(Language.German, "zweifeln") == Seq("zweifeln"))
    assert(early(Language.Romanian, "zloţi") == Seq("zloţ"))
    assert(early(Language.Italian, "abbandonata") == Seq("abbandon"))
  }

  test("words by dictionaries") {
    assert(words(plain("icu"), "Hello, こんにちは世界! Mark'd 3.5") ==
      Seq("Hello", "こんにちは", "世界", "Mark'd", "3.5"))
    assert(words(plain("icu/split"), "foo_bar__baz-alpha.beta") ==
      Seq("foo", "bar", "baz", "alpha", "beta"))
  }

  test("parameters of an index") {
    assert(AnalyzerParameters.parse("{}") == AnalyzerParameters.default)
    assert(AnalyzerParameters.parse("""{"base_tokenizer": "ngram"}""") == AnalyzerParameters.of(
      "ngram"
    ))
    val parsed = AnalyzerParameters.parse(
      """{"lance_tokenizer": "text", "base_tokenizer": "whitespace", "language": "German", "with_position": true,
        |"max_token_length": null, "stem": false, "custom_stop_words": ["a"], "later": 1}""".stripMargin
    )
    assert(parsed == AnalyzerParameters(
      "whitespace",
      Language.German,
      None,
      stem = false,
      customStopWords = Some(IndexedSeq("a"))
    ))
    assert(AnalyzerParameters.parse("""{"lance_tokenizer": "json"}""") ==
      AnalyzerParameters(isJson = true))
    Seq(
      "",
      "[]",
      "{",
      """{"stem": 1}""",
      """{"base_tokenizer": "ngram", "min_ngram_length": 0}"""
    ).foreach { text =>
      intercept[CorruptFileException](AnalyzerParameters.parse(text))
    }
    Seq("""{"language": "Klingon"}""", """{"lance_tokenizer": "xml"}""").foreach { text =>
      intercept[UnsupportedFeatureException](AnalyzerParameters.parse(text))
    }
    intercept[UnsupportedFeatureException](new Analyzer(plain("jieba/default")))
  }
}
