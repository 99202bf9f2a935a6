// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v0_1

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.testkit.ValuesGenerators.contents

class VarBinarySuite extends AnyFunSuite {

  private def longs(values: Long*): Buffer = {
    val bytes = new Array[Byte](values.length * 8)
    values.indices.foreach(i => Buffer.putLong(bytes, i * 8, values(i)))
    Buffer(bytes)
  }

  private def text(values: Values): Seq[String] =
    contents(values).map(v => new String(v.asInstanceOf[Seq[Byte]].toArray, "UTF-8"))

  test("offsets are positions in the file; a nullable empty value is null") {
    val offsets = VarBinary.offsets(longs(8, 10, 10, 13), 3, 13)
    val data = Buffer("abxyz".getBytes("UTF-8"))
    for (from <- 0 to 3; until <- from to 3) {
      val out = new BinaryValues
      val validity = new Validity
      VarBinary.decode(offsets, from, until - from, data, 8, out, validity)
      assert(text(out) == Seq("ab", "", "xyz").slice(from, until))
      assert((0 until validity.numItems).map(validity.isValid) ==
        Seq(true, false, true).slice(from, until))
      VarBinary.decode(offsets, from, until - from, data, 8, out, null)
      assert(out.numItems == 2 * (until - from))
    }
  }

  test("decreasing or out-of-range offsets and missing bytes are corrupt") {
    intercept[CorruptFileException](VarBinary.offsets(longs(8, 10, 9), 2, 100))
    intercept[CorruptFileException](VarBinary.offsets(longs(-1, 10), 1, 100))
    intercept[CorruptFileException](VarBinary.offsets(longs(8, 101), 1, 100))
    intercept[CorruptFileException](VarBinary.offsets(longs(8, 10), 2, 100))
    intercept[CorruptFileException](VarBinary.offsets(longs(0, Long.MinValue), 1, 100))
    val offsets = VarBinary.offsets(longs(8, 10), 1, 100)
    for (position <- Seq(7L, 9L, 100L))
      intercept[CorruptFileException] {
        val data = Buffer(new Array[Byte](2))
        VarBinary.decode(offsets, 0, 1, data, position, new BinaryValues, null)
      }
  }

  test("32-bit and 64-bit offsets of lists") {
    val large = Offsets.decode(longs(0, 1, 1, 3), 3, large = true, 3)
    val small = Offsets.decode(
      Buffer(Array[Byte](0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0)),
      3,
      large = false,
      3
    )
    assert(large.toSeq == Seq(0L, 1L, 1L, 3L) && small.toSeq == large.toSeq)
    val rebased = new Array[Int](3)
    Offsets.rebase(large, 1, 2, rebased)
    assert(rebased.toSeq == Seq(0, 0, 2))
    assert(Offsets.lastWithin(large, 0, 3, 2) == 2)
    assert(Offsets.lastWithin(large, 0, 3, 3) == 3)
    assert(Offsets.lastWithin(large, 2, 3, 0) == 3)
    intercept[CorruptFileException](Offsets.decode(longs(0, 2, 1), 2, large = true, 3))
    intercept[CorruptFileException](Offsets.decode(longs(0, 4), 1, large = true, 3))
    intercept[CorruptFileException](Offsets.decode(longs(0), 2, large = false, 3).sum)
    intercept[UnsupportedFeatureException] {
      Offsets.rebase(Array(0L, 1L << 40), 0, 1, rebased)
    }
  }
}
