// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.PropertyChecks

class ValiditySuite extends AnyFunSuite with PropertyChecks {
  private val flags: Gen[Vector[Boolean]] = for {
    n <- Gen.oneOf(Gen.choose(0, 10), Gen.choose(0, 300))
    kind <- Gen.choose(0, 3)
    seed <- Gen.long
  } yield {
    val random = new scala.util.Random(seed)
    Vector.fill(n)(kind match { case 0 => true; case 1 => false; case _ => random.nextBoolean() })
  }

  private def contents(v: Validity): Vector[Boolean] = (0 until v.numItems).map(v.isValid).toVector

  private def check(v: Validity, expected: Seq[Boolean]): org.scalatest.Assertion = {
    assert(contents(v) == expected)
    assert(v.numNulls == expected.count(!_) && v.hasNulls == expected.contains(false))
    val beyond = v.words.zipWithIndex.map { case (w, i) =>
      val from = v.numItems - i * 64
      if (from <= 0) w else if (from >= 64) 0L else w >>> from
    }
    assert(beyond.forall(_ == 0), "bits at and above numItems are 0")
  }

  private def bitmap(bits: Seq[Boolean]): Array[Byte] = {
    val bytes = new Array[Byte]((bits.length + 7) / 8)
    bits.zipWithIndex.foreach { case (b, i) =>
      if (b) bytes(i / 8) = (bytes(i / 8) | 1 << (i % 8)).toByte
    }
    bytes
  }

  test("all append methods add the same flags") {
    forAll(flags, flags) { (before, more) =>
      def started: Validity = Validity.of(before: _*)
      val expected = before ++ more

      val single = started
      more.foreach(single.append)
      check(single, expected)

      val fromOther = started
      val cut = more.length / 3
      fromOther.appendFrom(Validity.of(more: _*), 0, cut)
      fromOther.appendFrom(Validity.of(more: _*), cut, more.length - cut)
      check(fromOther, expected)

      val fromLevels = started
      fromLevels.appendLevels(
        (false +: more).map(v => (if (v) 2 else 3).toShort).toArray,
        1,
        more.length + 1,
        2
      )
      check(fromLevels, expected)

      Seq(0, 1, 7, 8, 13).foreach { skip =>
        val fromBitmap = started
        val bytes = bitmap(Seq.fill(skip)(true) ++ more)
        fromBitmap.appendBitmap(
          new Buffer(Array[Byte](-1, -1) ++ bytes, 2, bytes.length),
          skip.toLong,
          more.length
        )
        check(fromBitmap, expected)
      }

      val runs = started
      runs.appendValid(more.length)
      runs.appendNulls(cut)
      check(runs, before ++ Seq.fill(more.length)(true) ++ Seq.fill(cut)(false))
    }
  }

  test("clear removes all flags") {
    forAll(flags, flags) { (before, after) =>
      val v = Validity.of(before: _*)
      v.clear()
      after.foreach(v.append)
      check(v, after)
    }
  }

  test("a bitmap that is too short is corrupt") {
    assertThrows[CorruptFileException](new Validity().appendBitmap(
      Buffer(new Array[Byte](2)),
      5,
      12
    ))
  }
}
