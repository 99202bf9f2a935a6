// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import java.nio.file.{Files, Paths}
import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.text.segment.IndexTerms
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder, TestRun}

/** Texts have the terms under which pylance stores them, at the same positions. Runs of `make
  * test-long` compare more than 100,000 texts.
  */
class PylanceTermsSuite extends AnyFunSuite with TemporaryFolder {
  import PylanceTermsSuite._

  private val factor = if (TestRun.isLong) 12 else 1

  private def check(texts: IndexedSeq[String], options: Map[String, Any]): Unit = {
    val path = folder.resolve(s"t${texts.hashCode}${options.hashCode}").toString
    Pylance.run(
      """
      write({'id': list(range(len(texts))), 't': texts}, path)
      dataset(path).create_scalar_index('t', 'INVERTED', with_position=True, **options)
      result = None
      """,
      "path" -> path,
      "texts" -> texts,
      "options" -> options
    )
    val index = IndexTerms.read(path)
    val analyzer = new Analyzer(index.parameters)
    texts.indices.foreach { i =>
      val wanted = index.terms.getOrElse(i.toLong, IndexedSeq.empty)
      assert(analyzer.terms(texts(i)).sorted == wanted.sorted, s"text $i: ${texts(i)}")
    }
  }

  Language.all.foreach { language =>
    test(s"words in $language") {
      val random = new Random(TestRun.seed + language.name.hashCode)
      val words = made(language, random, factor * 3000)
      val texts = words.grouped(20).map(_.mkString(" ")).toIndexedSeq
      check(texts, Map("language" -> language.name))
      check(
        texts,
        Map("language" -> language.name, "remove_stop_words" -> false, "ascii_folding" -> false)
      )
    }
  }

  Seq[Map[String, Any]](
    Map("base_tokenizer" -> "simple"),
    Map("base_tokenizer" -> "whitespace", "stem" -> false, "max_token_length" -> 7),
    Map("base_tokenizer" -> "whitespace", "lower_case" -> false, "ascii_folding" -> false),
    Map("base_tokenizer" -> "raw", "max_token_length" -> None),
    Map("base_tokenizer" -> "simple", "custom_stop_words" -> Seq("a", "fox", "і")),
    Map("base_tokenizer" -> "icu", "stem" -> false),
    Map("base_tokenizer" -> "icu/split", "stem" -> false)
  ).foreach { options =>
    test(s"texts of many scripts with ${options.mkString(", ")}") {
      val some = texts(new Random(TestRun.seed + options.toString.hashCode), factor * 1500)
      val isIcu = options("base_tokenizer").toString.startsWith("icu")
      check(if (isIcu) some.map(_.filterNot(dependsOnIcu)) else some, options)
    }
  }

  test("every code point") {
    val points = (0 until 0x110000).filter(p => Character.getType(p) != Character.SURROGATE)
    val all = points.grouped(
      64
    ).map(_.map(p => new String(Character.toChars(p))).mkString(" ")).toIndexedSeq
    // A short run has a sample of the CJK characters and of the other planes.
    val (first, rest) = all.splitAt(0x3100 / 64)
    val some = first ++ TestRun.share(0, 8, rest)
    val options = Map[String, Any]("stem" -> false, "remove_stop_words" -> false)
    check(some, options)
    check(some, options ++ Map("ascii_folding" -> false, "base_tokenizer" -> "whitespace"))
  }

  test("n-grams and code") {
    val some = texts(new Random(TestRun.seed), factor * 700)
    // Positions of n-grams are all 0.
    check(
      some,
      Map[String, Any](
        "base_tokenizer" -> "ngram",
        "min_ngram_length" -> 2,
        "max_ngram_length" -> 4
      )
    )
    check(some, Map("base_tokenizer" -> "ngram", "prefix_only" -> true))
    Seq(false, true).foreach { split =>
      check(
        some,
        Map(
          "analyzer" -> "code",
          "base_tokenizer" -> "code",
          "split_identifiers" -> split,
          "index_operators" -> split
        )
      )
    }
  }
}

private object PylanceTermsSuite {

  /** Whether releases of ICU differ in texts with a character: in their dictionaries, and in
    * modifiers as letters.
    */
  def dependsOnIcu(c: Char): Boolean =
    c >= 0x3040 && c < 0xd7b0 || Character.getType(c) == Character.MODIFIER_SYMBOL

  /** Words with beginnings and ends of real ones. */
  def made(language: Language, random: Random, numWords: Int): IndexedSeq[String] = {
    val name = language.name.toLowerCase(Locale.ROOT)
    val known = Files.readAllLines(
      Paths.get(s"src/main/resources/io/github/pysparklance/index/text/stopwords/$name.txt")
    ).asScala.toIndexedSeq
    def one(): String = known(random.nextInt(known.length))
    known ++ IndexedSeq.fill(numWords) {
      val word =
        Seq.fill(1 + random.nextInt(3))(one()).mkString + one().takeRight(1 + random.nextInt(6))
      if (random.nextInt(4) == 0) word.toUpperCase(Locale.ROOT) else word
    }
  }

  /** Scripts by their code points; most are letters. */
  private val blocks: IndexedSeq[(Int, Int)] = IndexedSeq(
    0x20 -> 0x7e,
    0x20 -> 0x7e,
    0x61 -> 0x7a,
    0xa0 -> 0x24f,
    0x250 -> 0x2ff,
    0x300 -> 0x36f,
    0x370 -> 0x3ff,
    0x400 -> 0x52f,
    0x531 -> 0x587,
    0x5d0 -> 0x5ea,
    0x620 -> 0x6ff,
    0x905 -> 0x97f,
    0x980 -> 0x9fe,
    0xb80 -> 0xbfa,
    0x10a0 -> 0x10ff,
    0x1100 -> 0x11ff,
    0x13a0 -> 0x13fd,
    0x1e00 -> 0x1eff,
    0x1f00 -> 0x1ffe,
    0x2000 -> 0x206f,
    0x2070 -> 0x20bf,
    0x2100 -> 0x218b,
    0x2460 -> 0x24ff,
    0x3041 -> 0x30ff,
    0x3400 -> 0x34ff,
    0x4e00 -> 0x4fff,
    0xac00 -> 0xacff,
    0xfb00 -> 0xfb06,
    0xff01 -> 0xff5e,
    0x10400 -> 0x1044f,
    0x1d400 -> 0x1d4ff,
    0x1f600 -> 0x1f64f
  )

  def texts(random: Random, numTexts: Int): IndexedSeq[String] = IndexedSeq.fill(numTexts) {
    val out = new StringBuilder
    (0 until random.nextInt(6)).foreach { _ =>
      val (from, to) = blocks(random.nextInt(blocks.length))
      (0 until 1 + random.nextInt(8)).foreach { _ =>
        val point = from + random.nextInt(to - from + 1)
        out.appendAll(Character.toChars(point))
      }
      if (random.nextBoolean()) out.append(" \t\n_-.'" (random.nextInt(7)))
    }
    out.toString
  }
}
