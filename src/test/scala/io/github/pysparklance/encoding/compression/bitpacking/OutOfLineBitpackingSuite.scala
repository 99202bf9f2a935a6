// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.bitpacking

import io.github.pysparklance.core._
import io.github.pysparklance.testkit.EncodingSuite

class OutOfLineBitpackingSuite extends EncodingSuite {

  for (bits <- Seq(8, 16, 32, 64))
    test(s"block round trip of $bits bits") {
      forAllValues(bits) { values =>
        val width = BitpackingKernel.bitWidth(values, 0, values.numItems)
        val block = io.github.pysparklance.encoding.spi.CompressedBlock(
          OutOfLineBitpacking.message(bits, width),
          OutOfLineBitpacking.encodeBlock(values, bits, width, 0, values.numItems)
        )
        val decoded = decodeBlock(block, values.numItems, FixedWidth(bits))
        assert(contentsOf(decoded) == contentsOf(values))
        checkDamage(block, values.numItems, FixedWidth(bits))
      }
    }

  private def contentsOf(values: Values) =
    io.github.pysparklance.testkit.ValuesGenerators.contents(values)

  test("golden bytes: levels 0 1 0 1, a full block packed, a short one plain") {
    val levels = shorts((0 until 1044).map(_ % 2): _*)
    val full = OutOfLineBitpacking.encodeBlock(levels, 16, 1, 0, 1024)
    assert(toHex(full) == "0000ffff" * 32)
    val short = OutOfLineBitpacking.encodeBlock(levels, 16, 1, 1024, 20)
    assert(toHex(short) == "00000100" * 10)
  }

  test("a packed last block is readable even if plain values are not longer") {
    val levels = shorts((0 until 30).map(_ % 2): _*)
    val padded = OutOfLineBitpacking.encodeBlock(
      shorts((0 until 1024).map(i => if (i < 30) i % 2 else 0): _*),
      16,
      1,
      0,
      1024
    )
    val block = io.github.pysparklance.encoding.spi.CompressedBlock(
      OutOfLineBitpacking.message(16, 1),
      padded
    )
    assert(contentsOf(decodeBlock(block, 30, FixedWidth(16))) == contentsOf(levels))
  }
}
