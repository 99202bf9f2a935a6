// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.bitpacking

import io.github.pysparklance.core._
import io.github.pysparklance.testkit.EncodingSuite

class InlineBitpackingSuite extends EncodingSuite {

  for (bits <- Seq(8, 16, 32, 64))
    test(s"mini-block round trip of $bits bits") {
      forAllValues(bits) { values =>
        val widths = BitpackingKernel.blockWidths(values)
        val compressed = InlineBitpacking.encodeMiniBlock(values, bits, widths)
        assert(compressed.chunks.map(
          _.buffers.head.length.toLong
        ).sum == InlineBitpacking.estimateBytes(widths, bits))
        checkMiniBlock(compressed, values, FixedWidth(bits))
        checkDamage(compressed, FixedWidth(bits))
      }
    }

  test("golden bytes: 0 to 1023 as u32 pack to 10 bits") {
    val values = ints(0 until 1024: _*)
    val chunk =
      InlineBitpacking.encodeMiniBlock(values, 32, BitpackingKernel.blockWidths(values)).chunks.head
    assert(chunk.buffers.head.length == 4 + 1280)
    assert(toHex(chunk.buffers.head.slice(
      0,
      20
    )) == "0a00000000000210010412500208229" + "0030c32d0")
  }

  test("zeros need only the header") {
    val compressed = InlineBitpacking.encodeMiniBlock(ints(0, 0, 0), 32, Array[Byte](0))
    assert(toHex(compressed.chunks.head.buffers.head) == "00000000")
    checkMiniBlock(compressed, ints(0, 0, 0), FixedWidth(32))
  }

  test("a block whose width exceeds the column's is corrupt") {
    val e = intercept[CorruptFileException] {
      io.github.pysparklance.encoding.Compressions.miniBlock(
        InlineBitpacking.message(16),
        FixedWidth(32)
      )
    }
    assert(
      e.problem == "corrupt file: InlineBitpacking of 16 bits per value for a column of FixedWidth(32)"
    )
  }
}
