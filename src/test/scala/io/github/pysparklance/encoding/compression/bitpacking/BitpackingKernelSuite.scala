// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.bitpacking

import io.github.pysparklance.testkit.EncodingSuite

class BitpackingKernelSuite extends EncodingSuite {

  /** The rule of the format, bit by bit. */
  private def slowUnpack(bits: Int, width: Int, packed: Array[Byte]): Array[BigInt] = {
    val lanes = 1024 / bits
    val groups = Array(0, 4, 2, 6, 1, 5, 3, 7)
    val out = new Array[BigInt](1024)
    for (row <- 0 until bits; lane <- 0 until lanes) {
      val value = (0 until width).foldLeft(BigInt(0)) { (v, k) =>
        val bit = row * width + k
        val byteOfWord = (bit / bits * lanes + lane) * (bits / 8) + bit % bits / 8
        if (((packed(byteOfWord) >> (bit % 8)) & 1) == 1) v.setBit(k) else v
      }
      out(groups(row / 8) * 16 + row % 8 * 128 + lane) = value
    }
    out
  }

  private def unsigned(bytes: Array[Byte], bits: Int): Array[BigInt] =
    bytes.grouped(bits / 8).map(b => BigInt(1, b.reverse)).toArray

  for (bits <- Seq(8, 16, 32, 64))
    test(
      s"every width of $bits bits unpacks as specified, and packs to the same bytes"
    ) {
      val random = new scala.util.Random(bits)
      for (width <- 0 to bits) {
        val packed = new Array[Byte](128 * width)
        random.nextBytes(packed)
        val out = new Array[Byte](128 * bits)
        BitpackingKernel.unpack(bits, width, packed, 0, out, 0)
        assert(unsigned(out, bits).sameElements(slowUnpack(bits, width, packed)), s"width $width")
        val again = new Array[Byte](128 * width)
        BitpackingKernel.pack(bits, width, out, 0, again, 0)
        assert(again.sameElements(packed), s"width $width")
      }
    }

  test("the bit width is that of the largest unsigned value") {
    assert(BitpackingKernel.bitWidth(ints(0, 5, 2), 0, 3) == 3)
    assert(BitpackingKernel.bitWidth(ints(0, 5, -2), 0, 2) == 3)
    assert(BitpackingKernel.bitWidth(ints(0, 5, -2), 0, 3) == 32)
    assert(BitpackingKernel.bitWidth(shorts(-1), 0, 1) == 16)
    assert(BitpackingKernel.bitWidth(shorts(0, 0), 0, 2) == 0)
  }
}
