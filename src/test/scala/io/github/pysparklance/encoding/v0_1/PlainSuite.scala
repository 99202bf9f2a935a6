// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v0_1

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.testkit.ValuesGenerators.contents

class PlainSuite extends AnyFunSuite {

  private def bytes(hex: String): Buffer =
    Buffer(hex.split(' ').filter(_.nonEmpty).map(Integer.parseInt(_, 16).toByte))

  /** Decodes with only the bytes that the values need. */
  private def decode(page: Buffer, t: ValueType, from: Long, until: Long): Values = {
    val range = Plain.byteRange(Plain.bitsPerValue(t), from, until)
    val out = Values.allocate(t)
    val part = page.slice(range.offset, range.length)
    Plain.decode(part, range.offset, t, from, (until - from).toInt, out)
    out
  }

  test("booleans fill bytes from the lowest bit, wider values are contiguous") {
    val flags = bytes("8d 01")
    val expected = Seq[Byte](1, 0, 1, 1, 0, 0, 0, 1, 1)
    for (from <- 0 to 9; until <- from to 9)
      assert(contents(decode(flags, FixedWidth(1), from.toLong, until.toLong)) ==
        expected.slice(from, until))
    val ints = bytes("07 00 00 00 00 00 00 00 ff ff ff ff")
    assert(contents(decode(ints, FixedWidth(32), 0, 3)) == Seq(7, 0, -1))
    assert(contents(decode(ints, FixedWidth(32), 2, 3)) == Seq(-1))
    assert(contents(decode(ints, FixedWidth(48), 1, 2)) == Seq(Seq[Byte](0, 0, -1, -1, -1, -1)))
  }

  test("items of fixed-size lists of booleans need not start at a byte") {
    // [t f t] [t f f] [f t t]: nine bits
    val lists = FixedSizeListType(3, FixedWidth(1))
    val page = bytes("8d 01")
    for (from <- 0 to 3; until <- from to 3) {
      val found = decode(page, lists, from.toLong, until.toLong).asInstanceOf[FixedSizeListValues]
      assert(found.numItems == until - from)
      assert(contents(found.items) == Seq[Byte](
        1, 0, 1, 1, 0, 0, 0, 1, 1
      ).slice(3 * from, 3 * until))
    }
    val nested = FixedSizeListType(2, FixedSizeListType(2, FixedWidth(16)))
    assert(Plain.bitsPerValue(nested) == 64 && Plain.numBytes(64, 3) == 24)
    val found = decode(bytes("01 00 02 00 03 00 04 00"), nested, 0, 1)
    val inner = found.asInstanceOf[FixedSizeListValues].items.asInstanceOf[FixedSizeListValues]
    assert(inner.numItems == 2 && contents(inner.items) == Seq[Short](1, 2, 3, 4))
  }

  test("missing bytes are corrupt, sizes beyond the array limit are unsupported") {
    val page = bytes("07 00 00 00")
    for ((t, count) <- Seq(FixedWidth(32) -> 2, FixedWidth(1) -> 33, FixedWidth(64) -> 1)) {
      val out = Values.allocate(t)
      intercept[CorruptFileException](Plain.decode(page, 0, t, 0, count, out))
    }
    intercept[CorruptFileException] {
      Plain.decode(page, 1, FixedWidth(8), 0, 1, Values.allocate(FixedWidth(8)))
    }
    intercept[CorruptFileException](Plain.numBytes(8, Long.MaxValue))
    intercept[CorruptFileException](Plain.numBytes(8, -1))
    val huge = FixedSizeListType(Int.MaxValue, FixedSizeListType(Int.MaxValue, FixedWidth(64)))
    intercept[UnsupportedFeatureException](Plain.bitsPerValue(huge))
    intercept[UnsupportedFeatureException](Plain.bitsPerValue(VariableWidth(32)))
    val many = FixedSizeListType(1 << 20, FixedWidth(8))
    intercept[UnsupportedFeatureException] {
      Plain.decode(page, 0, many, 0, 1 << 20, Values.allocate(many))
    }
  }
}
