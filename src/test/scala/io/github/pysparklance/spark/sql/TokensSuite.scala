// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.scalatest.funsuite.AnyFunSuite

class TokensSuite extends AnyFunSuite {
  private def texts(sql: String): Seq[String] = Tokens(sql).get.map(_.text)

  test("words, symbols, places") {
    val tokens = Tokens("OPTIMIZE a.1b;").get
    assert(tokens.map(_.text) == Seq("OPTIMIZE", "a", ".", "1b", ";"))
    assert(tokens.map(t => (t.start, t.end)) ==
      Seq((0, 8), (9, 10), (10, 11), (11, 13), (13, 14)))
    assert(tokens.head.is("optimize") && !Tokens("`optimize`").get.head.is("optimize"))
    assert(texts("größe\u00a0x\u2003y") == Seq("größe", "x", "y"))
    assert(texts("").isEmpty && texts("  -- nothing").isEmpty)
  }

  test("quotes end at the closing quote") {
    assert(texts("'it''s' 'a\\'b' x") == Seq("'it''s'", "'a\\'b'", "x"))
    assert(texts("`a``b` `-- c`") == Seq("`a``b`", "`-- c`"))
    assert(texts("r'\\' R\"'\" \"a\"\"b\"") == Seq("r'\\'", "R\"'\"", "\"a\"\"b\""))
    assert(texts("'/* x' y") == Seq("'/* x'", "y"))
  }

  test("comments are omitted, also nested comments and comments of several lines") {
    assert(texts("/* a /* b */ c */ x -- y\nz") == Seq("x", "z"))
    assert(texts("x -- y \\\n still\nz") == Seq("x", "z"))
    assert(texts("--\n/**/x/*-- */y") == Seq("x", "y"))
  }

  test("Spark reports unterminated text") {
    Seq("'abc", "\"abc", "`abc", "/* abc", "/* /* */", "r'abc", "'abc\\'", "x 'a''")
      .foreach(sql => assert(Tokens(sql).isEmpty, sql))
  }
}
