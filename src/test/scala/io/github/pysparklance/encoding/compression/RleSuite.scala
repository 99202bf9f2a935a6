// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi.{CompressedBlock, MiniBlockDecoder}
import io.github.pysparklance.encoding.value.Messages
import io.github.pysparklance.testkit.{EncodingSuite, ValuesGenerators}

class RleSuite extends EncodingSuite {
  import ValuesGenerators.contents

  for (bits <- Seq(8, 16, 32, 64))
    test(s"mini-block and block round trip of $bits bits") {
      forAllValues(bits) { values =>
        val compressed = Rle.encodeMiniBlock(values, bits)
        checkMiniBlock(compressed, values, FixedWidth(bits))
        checkDamage(compressed, FixedWidth(bits))
        assert(compressed.chunks.forall(_.buffers.map(_.length).sum <= 8186))
        val block =
          CompressedBlock(Rle.message(bits), Rle.encodeBlock(values, bits, 0, values.numItems))
        assert(contents(decodeBlock(block, values.numItems, FixedWidth(bits))) == contents(values))
        checkDamage(block, values.numItems, FixedWidth(bits))
      }
    }

  test("golden bytes: 300 sevens, then 20 nines") {
    val chunk = Rle.encodeMiniBlock(ints(Seq.fill(300)(7) ++ Seq.fill(20)(9): _*), 32).chunks.head
    assert(chunk.buffers.map(toHex) == Seq("070000000700000009000000", "ff2d14"))
  }

  test("golden bytes: levels as a block") {
    val levels = shorts(Seq.fill(901)(0) ++ Seq.fill(99)(1) ++ Seq.fill(24)(0): _*)
    assert(toHex(Rle.encodeBlock(
      levels,
      16,
      0,
      1024
    )) == "0c00000000000000" + "000000000000000001000000" + "ffffff886318")
    val wide =
      CompressedBlock(rle(16, 16), Buffer(hex("0600000000000000 0000 0100 0000 | 8503 6300 1800")))
    assert(contents(decodeBlock(wide, 1024, FixedWidth(16))) == contents(levels))
  }

  private def rle(bits: Int, lengthBits: Int) = message(
    _.setRle(
      v2_1.Rle.newBuilder.setValues(Messages.flat(bits)).setRunLengths(Messages.flat(lengthBits))
    )
  )

  private def decoder(lengthBits: Int): MiniBlockDecoder =
    Compressions.miniBlock(rle(32, lengthBits), FixedWidth(32))

  private def decode(values: String, lengths: String, numValues: Int): Seq[Any] = {
    val out = new IntValues
    decoder(8).decode(
      Array(Buffer(hex(values)), Buffer(hex(lengths))),
      numValues,
      0,
      numValues,
      out
    )
    contents(out)
  }

  test("a last run that exceeds a chunk is truncated") {
    assert(decode("07000000 09000000", "03 ff", 5) == Seq(7, 7, 7, 9, 9))
  }

  test("missing lengths, empty runs, and mismatched buffers are rejected") {
    val short = intercept[CorruptFileException](decode("07000000", "03", 4))
    assert(short.problem == "corrupt file: Rle run lengths add up to 3 items, expected 4")
    assertThrows[CorruptFileException](decode("07000000 07000000", "03 00", 3))
    assertThrows[CorruptFileException](decode("07000000", "03 01", 3))
  }

  test("a last run that exceeds a block is rejected") {
    val block = CompressedBlock(Rle.message(16), Buffer(hex("0200000000000000 0700 05")))
    assertThrows[CorruptFileException](decodeBlock(block, 4, FixedWidth(16)))
  }
}
