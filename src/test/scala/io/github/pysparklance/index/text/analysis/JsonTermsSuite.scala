// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, InvalidRequestException}
import io.github.pysparklance.encoding.value.{Jsonb, JsonbWriter}
import io.github.pysparklance.index.text.segment.IndexTerms
import io.github.pysparklance.testkit.{Pylance, TemporaryFolder, TestRun}

/** JSON documents have the terms under which pylance stores them, at the same positions. */
class JsonTermsSuite extends AnyFunSuite with TemporaryFolder {
  import JsonTermsSuite._

  private val json = AnalyzerParameters(isJson = true)

  private def terms(document: String): Seq[(String, Int)] = new Analyzer(json).terms(document)

  private def words(document: String): Seq[String] = terms(document).map(_._1)

  test("paths, types, and values") {
    assert(words("""{"a":{"b":["Two words",7,{"c":1.5}],"d":true},"e":null}""") == Seq(
      "a.b,str,two",
      "a.b,str,word",
      "a.b,number,7",
      "a.b.c,number,1.5",
      "a.d,bool,true",
      "e,null,null"
    ))
    assert(words(""""Running"""") == Seq(",str,run"))
    assert(words("[[1],[[2]]]") == Seq(",number,1", ",number,2"))
    assert(words("""{"":{"k":"v"},"a":{"":{"z":1}}}""") == Seq("k,str,v", "a..z,number,1"))
    assert(words("{}").isEmpty && words("[]").isEmpty && words(""""the"""").isEmpty)
  }

  test("positions have no gaps") {
    assert(terms("""{"a":"the quick and the fox","b":false,"c":"dog"}""") == Seq(
      "a,str,quick" -> 0,
      "a,str,fox" -> 1,
      "b,bool,false" -> 2,
      "c,str,dog" -> 3
    ))
    val grams = new Analyzer(AnalyzerParameters("ngram", stem = false, isJson = true))
    assert(grams.terms("""{"a":"abcd"}""") == Seq("a,str,abc" -> 0, "a,str,bcd" -> 1))
  }

  test("queries") {
    def query(text: String) = new Analyzer(json).queryTerms(text)
    assert(query("a.b,str,The Foxes;c,number,1.0;d,str,x,y;,null,null") == Seq(
      "a.b,str,fox" -> 0,
      "c,number,1.0" -> 1,
      "d,str,x" -> 2,
      "d,str,y" -> 3,
      ",null,null" -> 4
    ))
    assert(query("a,bool,") == Seq("a,bool," -> 0))
    assert(query("a,str,the").isEmpty)
    Seq("fox", "", "a,str,x;", "a,string,x", "a,b,str,x", "a,str").foreach { text =>
      val error = intercept[InvalidRequestException](query(text))
      assert(error.getMessage.contains("path,type,value is expected"))
    }
  }

  test("values of terms") {
    Seq("a,str,x" -> 6, ",null,null" -> 6, "a.b,number,1,5" -> 11).foreach { case (term, start) =>
      assert(json.valueStart(term) == start && AnalyzerParameters.default.valueStart(term) == 0)
    }
  }

  test("texts that are not JSON") {
    Seq("{", "{\"a\":}", "fox").foreach { text =>
      val error = intercept[CorruptFileException](terms(text))
      assert(error.getMessage.contains("not JSON"))
    }
  }

  test("deep documents and long strings") {
    val deep = "{\"a\":" * 500 + "1" + "}" * 500
    assert(words(deep) == Seq(Seq.fill(500)("a").mkString(".") + ",number,1"))
    val long = new Analyzer(AnalyzerParameters("raw", maxTokenLength = None, isJson = true))
    assert(long.terms("\"" + "x" * 30000000 + "\"").head._1.length == 30000005)
  }

  test("terms of pylance") {
    val random = new Random(TestRun.seed)
    val documents = edges ++ IndexedSeq.fill(700)(value(random, 0))
    Seq[Map[String, Any]](
      Map.empty,
      Map("stem" -> false, "lower_case" -> false, "max_token_length" -> 4),
      Map("base_tokenizer" -> "whitespace", "remove_stop_words" -> false),
      Map("base_tokenizer" -> "ngram"),
      Map("base_tokenizer" -> "raw")
    ).foreach(check(documents, _))
  }

  test("numbers of pylance") {
    val random = new Random(TestRun.seed)
    val numbers = IndexedSeq.fill(4000)(number(random)) ++
      Seq(Double.MinPositiveValue, java.lang.Double.MIN_NORMAL, Double.MaxValue, 0.1, -0.0, 1e16)
    check(numbers.map(n => s"[$n]"), Map.empty)
  }

  private def check(documents: IndexedSeq[String], options: Map[String, Any]): Unit = {
    val path = folder.resolve(s"t${documents.hashCode}${options.hashCode}").toString
    val stored = Pylance.run(
      """
      docs = pa.array(documents, pa.json_())
      write(pa.table({'id': list(range(len(documents))), 'j': docs}), path)
      dataset(path).create_scalar_index('j', 'INVERTED', with_position=True, **options)
      result = dataset(path).to_table()['j'].to_pylist()
      """,
      "path" -> path,
      "documents" -> documents,
      "options" -> options
    ).elements.asScala.map(_.asText).toIndexedSeq
    val index = IndexTerms.read(path)
    assert(index.parameters.isJson)
    val analyzer = new Analyzer(index.parameters)
    documents.indices.foreach { i =>
      val bytes = JsonbWriter.bytes(documents(i))
      assert(new String(Jsonb.text(bytes, 0, bytes.length), "UTF-8") == stored(i))
      val wanted = index.terms.getOrElse(i.toLong, IndexedSeq.empty)
      assert(analyzer.terms(stored(i)).sorted == wanted.sorted, s"document $i: ${stored(i)}")
    }
  }
}

private object JsonTermsSuite {

  private val strings = IndexedSeq(
    "The quick brown fox",
    "running RUNS",
    "",
    "the",
    "Café ÉCLAIR",
    "a;b,c",
    "tab\tand \\ \" quotes",
    "東京 𝒳",
    "x" * 45
  )

  private val keys = IndexedSeq("a", "b", "B", "aa", "a.b", "", "a,b", "é", "k;")

  val edges: IndexedSeq[String] = IndexedSeq(
    "null",
    "7",
    "\"scalar text\"",
    "[]",
    "{}",
    "[null,true,-1,1.0,1.50,1e3,1e22,-0,-0.0,18446744073709551615,18446744073709551616,1e-7]",
    "[-9223372036854775808,-9223372036854775809,2.2250738585072014e-308,5e-324,9007199254740993.0]",
    """{"b":"beta","a":"alpha","Z":"zed","aa":"x"}"""
  )

  /** Doubles with random bits, and numbers as in typical documents. */
  def number(random: Random): Double = random.nextInt(3) match {
    case 0 =>
      val bits = java.lang.Double.longBitsToDouble(random.nextLong())
      if (bits.isNaN || bits.isInfinite) 0.5 else bits
    case 1 => random.nextDouble() * math.pow(10, random.nextInt(25) - 8.0)
    case _ => random.nextInt(100000) / 100.0
  }

  private def quoted(text: String): String =
    new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(text)

  /** A random JSON value. */
  def value(random: Random, depth: Int): String = random.nextInt(if (depth > 3) 5 else 8) match {
    case 0 => quoted(strings(random.nextInt(strings.length)))
    case 1 => random.nextInt(50).toString
    case 2 => number(random).toString
    case 3 => random.nextBoolean().toString
    case 4 => "null"
    case 5 => Seq.fill(random.nextInt(4))(value(random, depth + 1)).mkString("[", ",", "]")
    case _ =>
      random.shuffle(keys).take(random.nextInt(5))
        .map(k => quoted(k) + ":" + value(random, depth + 1)).mkString("{", ",", "}")
  }
}
