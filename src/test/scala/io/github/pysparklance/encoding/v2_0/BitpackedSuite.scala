// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}

class BitpackedSuite extends ArraySuite {

  private def bitpacked(width: Int, bits: Int, signed: Boolean): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder
      .setBitpacked(pb.Bitpacked.newBuilder.setCompressedBitsPerValue(width.toLong)
        .setUncompressedBitsPerValue(bits.toLong).setSigned(signed).setBuffer(buffer(0)))
      .build

  test("golden bytes: five bits, unsigned and signed") {
    val bytes = hex("41 0c 02") // 00001 00010 00011 00100, the lowest bits first
    assert(rows(
      page(4, bitpacked(5, 32, signed = false), bytes),
      FixedWidth(32)
    ) == Seq(1, 2, 3, 4))
    val wide = hex("ff 03")
    assert(rows(page(2, bitpacked(5, 8, signed = true), wide), FixedWidth(8)) == Seq[Byte](-1, -1))
    assert(rows(page(2, bitpacked(5, 8, signed = false), wide), FixedWidth(8)) == Seq[Byte](31, 31))
    assert(rows(
      page(2, bitpacked(5, 16, signed = true), wide),
      FixedWidth(16)
    ) == Seq[Short](-1, -1))
  }

  test("all widths up to that of the values") {
    assert(rows(page(2, bitpacked(64, 64, signed = true), longs(-7, 9)), FixedWidth(64)) == Seq(
      -7L,
      9L
    ))
    // 63 bits that start at every bit of a byte.
    val values = (0 until 16).map(i => (1L << 62) + i)
    val bytes = new Array[Byte](126)
    values.indices.foreach(i =>
      (0 until 63).foreach { b =>
        if (((values(i) >>> b) & 1) != 0) {
          val at = i * 63 + b
          bytes(at / 8) = (bytes(at / 8) | (1 << (at % 8))).toByte
        }
      }
    )
    assert(rows(page(16, bitpacked(63, 64, signed = false), bytes), FixedWidth(64)) == values)
  }

  test("widths that do not match the type or the bytes are rejected") {
    assert(rejected(
      page(5, bitpacked(5, 32, signed = false), hex("410c02")),
      FixedWidth(32)
    ).contains("5 values of 5 bits"))
    assert(rejected(
      page(1, bitpacked(33, 32, signed = false), longs(1)),
      FixedWidth(32)
    ).contains("32 bits in 33"))
    assert(rejected(
      page(1, bitpacked(0, 32, signed = false), longs(1)),
      FixedWidth(32)
    ).contains("0 bits"))
    assert(rejected(
      page(1, bitpacked(5, 32, signed = false), longs(1)),
      FixedWidth(64)
    ).contains("Bitpacked of 32 bits"))
  }
}
