// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import org.scalatest.funsuite.AnyFunSuite

class ParseSuite extends AnyFunSuite {
  private val texts = Seq(
    "",
    " ",
    "+",
    "-",
    "0",
    "-0",
    "+7",
    "007",
    " 7",
    "7 ",
    "7\n",
    "1_000",
    "0x10"
  ) ++
    Seq("2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808") ++
    Seq(
      "\u0663",
      "1.5",
      "1.",
      ".5",
      ".",
      "1e3",
      "1e",
      "1d",
      "1f",
      "1D",
      "0x1p3",
      "NaN",
      "-NaN",
      "nan"
    ) ++
    Seq("Infinity", "-Infinity", "1e999", "1,5", "true", "TRUE", "False", " true", "yes", "1l")

  test("integers are parsed strictly: no spaces, no suffix, no overflow") {
    assert(texts.flatMap(Parse.int(_)) == Seq(0, 0, 7, 7, Int.MaxValue, 3))
    assert(texts.flatMap(Parse.long(_)) == Seq(
      0L,
      0L,
      7L,
      7L,
      Int.MaxValue,
      2147483648L,
      -2147483649L,
      Long.MaxValue,
      3L
    ))
  }

  test("floating-point numbers are parsed as in Java, including spaces and a suffix") {
    assert(Parse.double(" 1.5 ").contains(1.5))
    assert(Seq("1.", ".5", "1e3", "1d", "1f", "0x1p3").flatMap(Parse.double(_)) ==
      Seq(1.0, 0.5, 1000.0, 1.0, 1.0, 8.0))
    assert(Parse.double("NaN").exists(_.isNaN))
    assert(Parse.double("-Infinity").contains(Double.NegativeInfinity))
    assert(Seq("", ".", "1e", "nan", "1,5", "1l", "0x10").flatMap(Parse.double(_)) == Nil)
  }

  test("true and false are parsed in any case") {
    assert(texts.flatMap(t => Parse.boolean(t).map(t -> _)) ==
      Seq("true" -> true, "TRUE" -> true, "False" -> false))
  }
}
