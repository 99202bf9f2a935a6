// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.value

import java.nio.charset.StandardCharsets.UTF_8

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.testkit.SeededChecks

class JsonbWriterSuite extends AnyFunSuite with SeededChecks {

  private def hex(text: String): String = JsonbWriter.bytes(text).map(b => f"$b%02x").mkString

  private def again(text: String): String = {
    val bytes = JsonbWriter.bytes(text)
    new String(Jsonb.text(bytes, 0, bytes.length), UTF_8)
  }

  test("written bytes equal the bytes of pylance 14") {
    val expected = Seq(
      """{"i": 7}""" -> "400000011000000120000002695007",
      "null" -> "2000000000000000",
      "true" -> "2000000040000000",
      "0" -> "200000002000000100",
      "-1" -> "200000002000000240ff",
      "-129" -> "200000002000000340ff7f",
      "300" -> "200000002000000350012c",
      "18446744073709551615" -> "200000002000000950ffffffffffffffff",
      "1.5" -> "2000000020000009603ff8000000000000",
      "1e2" -> "2000000020000009604059000000000000",
      "[]" -> "80000000",
      "{}" -> "40000000",
      """["a", [false], {}]""" ->
        "8000000310000001500000085000000461800000013000000040000000"
    )
    expected.foreach { case (text, bytes) => assert(hex(text) == bytes, text) }
  }

  test("keys are sorted by their bytes, white space is removed, escapes are resolved") {
    val escape = "\\u0041"
    assert(again(s""" { "b" : 1 , "a" : [ 1 , 2 ] , "é" : null, "Z": "x$escape\\n\\/" } """) ==
      """{"Z":"xA\n/","a":[1,2],"b":1,"é":null}""")
    assert(again("-9223372036854775808") == "-9223372036854775808")
    assert(again("18446744073709551616") == "1.8446744073709552e+19")
    assert(again("-0") == "0")
    assert(again("-0.0") == "-0.0")
    assert(again("1e400") == "null")
  }

  test("invalid JSON is rejected with its position") {
    val wrong = Seq(
      "",
      " ",
      "{",
      "[1,]",
      "{1:2}",
      """{"a" 1}""",
      "01",
      "1.",
      "-",
      "nul",
      "'a'",
      "\"",
      """"\x"""",
      "\"" + "\\u12g4\"",
      "1 2",
      "NaN",
      "[1",
      """{"a":1,}"""
    )
    wrong.foreach { text =>
      val e = intercept[InvalidRequestException](JsonbWriter.bytes(text))
      assert(e.problem.contains("not valid JSON"), text)
    }
    val twice = intercept[InvalidRequestException](JsonbWriter.bytes("""{"a":1,"a":2}"""))
    assert(twice.problem.contains(""""a" twice"""))
    for (text <- Seq("\"\\ud83d\"", "{\"\\ude00\":1}")) {
      val half = intercept[InvalidRequestException](JsonbWriter.bytes(text))
      assert(half.problem.contains("surrogate"), text)
    }
    assert(intercept[InvalidRequestException](JsonbWriter.bytes("[" * 600)).problem.contains("512"))
  }

  test("text round-trips through JSONB") {
    val leaf = Gen.oneOf(
      Gen.const("null"),
      Gen.oneOf("true", "false"),
      Gen.long.map(_.toString),
      Gen.double.map(d => (d * 1000).toString),
      Gen.alphaNumStr.map("\"" + _ + "\"")
    )
    def json(depth: Int): Gen[String] =
      if (depth == 0) leaf
      else
        Gen.oneOf(
          leaf,
          Gen.choose(0, 3).flatMap(Gen.listOfN(_, json(depth - 1))).map(_.mkString("[", ",", "]")),
          Gen.choose(0, 3).flatMap(Gen.listOfN(_, json(depth - 1))).map(
            _.zipWithIndex.map { case (v, i) => s""""k$i":$v""" }.reverse.mkString("{", ",", "}")
          )
        )
    forAllOf(json(3)) { text =>
      val once = again(text)
      assert(again(once) == once)
    }
  }
}
