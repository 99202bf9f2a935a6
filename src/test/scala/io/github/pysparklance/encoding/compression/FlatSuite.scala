// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.value.Messages
import io.github.pysparklance.testkit.{EncodingSuite, ValuesGenerators}

class FlatSuite extends EncodingSuite {
  private val widths = Seq(1, 8, 16, 32, 64, 24, 128, 256)

  for (bits <- widths) {
    test(s"mini-block and block round trip of $bits bits") {
      forAllValues(bits) { values =>
        val compressed = Flat.encodeMiniBlock(values, bits)
        checkMiniBlock(compressed, values, FixedWidth(bits))
        checkDamage(compressed, FixedWidth(bits))
        val block = Flat.encodeBlock(values, bits)
        val decoded = decodeBlock(block, values.numItems, FixedWidth(bits))
        assert(ValuesGenerators.contents(decoded) == ValuesGenerators.contents(values))
        checkDamage(block, values.numItems, FixedWidth(bits))
      }
    }

    test(s"per-value round trip of $bits bits") {
      forAllValues(bits) { values =>
        val compressed = Flat.encodePerValue(values, bits)
        val decoder = Compressions.fixedPerValue(compressed.encoding, FixedWidth(bits))
        assert(decoder.bytesPerValue == compressed.bytesPerValue)
        assert(compressed.bytes.length == values.numItems * compressed.bytesPerValue)
        val out = Values.allocate(FixedWidth(bits))
        decoder.decode(shifted(compressed.bytes), values.numItems, out)
        assert(ValuesGenerators.contents(out) == ValuesGenerators.contents(values))
      }
    }
  }

  test("golden bytes: booleans lowest bit first") {
    val values = new ByteValues
    Seq(1, 0, 1, 1, 0, 0, 0, 1, 1).foreach(b => values.append(b.toByte))
    assert(toHex(Flat.encodeBlock(values, 1).bytes) == "8d01")
  }

  test("a chunk has the largest power of two of values within the limits") {
    val expected = Seq(1 -> 4096, 8 -> 4096, 16 -> 2048, 32 -> 1024, 64 -> 512, 128 -> 256)
    expected.foreach { case (bits, n) => assert(Flat.chunkValues(bits.toLong) == n) }
    assertThrows[UnsupportedFeatureException](Flat.chunkValues(4093 * 8L))
  }

  test("a chunk whose length does not match its values is corrupt") {
    val decoder = Compressions.miniBlock(Messages.flat(32), FixedWidth(32))
    val e = intercept[CorruptFileException](decoder.decode(
      Array(Buffer(new Array(9))),
      2,
      0,
      2,
      new IntValues
    ))
    assert(e.problem == "corrupt file: Flat of 9 bytes for 2 values, expected 8 bytes")
  }
}
