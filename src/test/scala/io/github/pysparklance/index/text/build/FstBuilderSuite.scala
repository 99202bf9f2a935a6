// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.index.postings.ByteSink
import io.github.pysparklance.index.text.segment.Fst
import io.github.pysparklance.testkit.PropertyChecks

/** A token set finds exactly the added tokens. */
class FstBuilderSuite extends AnyFunSuite with PropertyChecks {

  private def sorted(tokens: Iterable[String]): IndexedSeq[Array[Byte]] = tokens.toSeq.distinct
    .map(_.getBytes(UTF_8))
    .sortWith(Arrays.compareUnsigned(_, _) < 0)
    .toIndexedSeq

  private def built(tokens: IndexedSeq[Array[Byte]]): Array[Byte] = {
    val builder = new FstBuilder
    tokens.foreach(builder.add)
    assert(builder.numTokens == tokens.length)
    builder.result()
  }

  private def check(texts: Iterable[String], others: Iterable[String]): Assertion = {
    val tokens = sorted(texts)
    val fst = Fst(built(tokens))
    assert(fst.numTokens == tokens.length)
    assert(fst.all.map { case (token, id) => (new String(token, UTF_8), id) }.toSeq ==
      tokens.map(new String(_, UTF_8)).zipWithIndex)
    tokens.indices.foreach(i => assert(fst.id(new String(tokens(i), UTF_8)) == i))
    val known = texts.toSet
    others.filterNot(known).foreach(other => assert(fst.id(other) == -1))
    succeed
  }

  test("tokens with few characters, which share prefixes and suffixes") {
    val word = Gen.listOf(Gen.oneOf("a", "b", "ß", "z", "中", "\u0000", "😀")).map(_.mkString)
    forAll(Gen.listOf(word), Gen.listOf(word), minSuccessful(300))(check(_, _))
  }

  test("nodes with up to 256 transitions") {
    forAll(Gen.choose(1, 2000), Gen.choose(0, 1 << 14)) { (n, step) =>
      val points = (0 until n).map(i => (i * (step + 1)) % 0xd000)
      check(points.map(p => s"x${p.toChar}"), points.map(p => s"y${p.toChar}"))
    }
    check((0 until 128).map(c => s"${c.toChar}"), Seq("", "aa"))
  }

  test("more tokens than there are nodes to share") {
    val words = (0 until 120000).map(i => s"w${i * 7919L % 1000003}${"x" * (i % 5)}")
    check(words, Seq("w", "x", "w1000004"))
  }

  test("no tokens, and the empty token") {
    check(Nil, Seq("", "a"))
    check(Seq(""), Seq("a"))
    check(Seq("", "a"), Seq("b"))
  }

  test("shared nodes reduce the size") {
    val words = for (a <- 'a' to 'z'; b <- 'a' to 'z') yield s"$a${b}ization"
    assert(built(sorted(words)).length < words.length * 6)
  }

  test("a wrong number of tokens is an error") {
    val bytes = built(sorted(Seq("a", "b")))
    bytes(bytes.length - 20) = 3
    val sum = Fst.checksum(bytes, bytes.length - 4)
    (0 until 4).foreach(i => bytes(bytes.length - 4 + i) = (sum >>> (8 * i)).toByte)
    intercept[CorruptFileException](Fst(bytes).all.toSeq)
  }

  test("nodes that lead to no token are an error, without a visit of all ways to them") {
    val out = new ByteSink
    out.putLong(Fst.version)
    out.putLong(0L)
    Seq(0, 0, 0).foreach(out.putByte) // a node without transitions, not final
    (0 until 60).foreach { _ =>
      // two transitions with the inputs a and b to the node before
      Seq(1, 1, 'b'.toInt, 'a'.toInt, 0x10, 2).foreach(out.putByte)
    }
    val root = out.length - 1L
    out.putLong(1L)
    out.putLong(root)
    val bytes = java.util.Arrays.copyOf(out.array, out.length + 4)
    val sum = Fst.checksum(bytes, out.length)
    (0 until 4).foreach(i => bytes(out.length + i) = (sum >>> (8 * i)).toByte)
    val e = intercept[CorruptFileException](Fst(bytes).all.next())
    assert(e.getMessage.contains("nodes without tokens"))
    assert(Fst(bytes).id("ab" * 30) == -1)
  }
}
