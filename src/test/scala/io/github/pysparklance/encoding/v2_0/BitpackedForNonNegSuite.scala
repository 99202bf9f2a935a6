// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.bitpacking.BitpackingKernel
import io.github.pysparklance.encoding.proto.{v2_0 => pb}

class BitpackedForNonNegSuite extends ArraySuite {

  private def packed(width: Int, bits: Int): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder
      .setBitpackedForNonNeg(
        pb.BitpackedForNonNeg.newBuilder.setCompressedBitsPerValue(width.toLong)
          .setUncompressedBitsPerValue(bits.toLong).setBuffer(buffer(0))
      )
      .build

  private def blocks(values: Seq[Long], width: Int, bits: Int): Array[Byte] =
    values.grouped(1024).flatMap { block =>
      val plain = new Array[Byte](128 * bits)
      block.zipWithIndex.foreach { case (v, i) =>
        (0 until bits / 8).foreach(k => plain(i * bits / 8 + k) = (v >>> (8 * k)).toByte)
      }
      val out = new Array[Byte](128 * width)
      BitpackingKernel.pack(bits, width, plain, 0, out, 0)
      out
    }.toArray

  test("values of one, two, and three blocks") {
    Seq(1, 1023, 1024, 1025, 2500).foreach { n =>
      val values = (0 until n).map(i => i * 7L % 128)
      def found(bits: Int) =
        rows(page(n, packed(7, bits), blocks(values, 7, bits)), FixedWidth(bits))
      assert(found(8) == values.map(_.toByte))
      assert(found(16) == values.map(_.toShort))
      assert(found(32) == values.map(_.toInt))
      assert(found(64) == values)
    }
  }

  test("golden bytes: one bit, 64 of 1024 values set") {
    // Word 0 of lanes 0 and 1 contains the values 0, 128, ... and 1, 129, ... in row order.
    val bytes = new Array[Byte](128)
    bytes(0) = 0x03
    val values = rows(page(1024, packed(1, 64), bytes), FixedWidth(64))
    assert(values.zipWithIndex.collect { case (1L, i) => i } == Seq(0, 128))
  }

  test("width 0 reads as zeros") {
    assert(rows(page(3, packed(0, 32), Array.emptyByteArray), FixedWidth(32)) == Seq(0, 0, 0))
  }

  test("missing blocks are rejected") {
    val one = blocks(Seq.fill(1024)(1L), 7, 32)
    assert(rejected(
      page(1025, packed(7, 32), one),
      FixedWidth(32)
    ).contains("1025 values of 7 bits"))
  }
}
