// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.spi.CompressedBlock
import io.github.pysparklance.testkit.{EncodingSuite, ValuesGenerators}

class VariableSuite extends EncodingSuite {
  import ValuesGenerators.contents

  for (bits <- Seq(32, 64)) {
    test(s"mini-block round trip with offsets of $bits bits") {
      forAllStrings { values =>
        val compressed = Variable.encodeMiniBlock(values, bits)
        checkMiniBlock(compressed, values, VariableWidth(bits))
        checkDamage(compressed, VariableWidth(bits))
      }
    }

    test(s"block round trip with offsets of $bits bits") {
      forAllStrings { values =>
        val block = VariableBlock.encode(values, bits)
        assert(contents(decodeBlock(
          block,
          values.numItems,
          VariableWidth(bits)
        )) == contents(values))
        checkDamage(block, values.numItems, VariableWidth(bits))
      }
    }
  }

  test("golden bytes: a mini-block chunk") {
    val chunk = Variable.encodeMiniBlock(strings("a", "bb", "", "dddd"), 32).chunks.head
    assert(
      toHex(chunk.buffers.head) == "1400000015000000170000001700" + "00001b0000006162626464646448"
    )
  }

  private val redGreenBlue =
    "20000000 18000000 00000000 03000000 08000000 0c000000 726564 677265656e 626c7565"

  test("golden bytes: a block") {
    val block = VariableBlock.encode(strings("red", "green", "blue"), 32)
    assert(block.bytes.toBytes.sameElements(hex(redGreenBlue)))
  }

  test("a block with the header of 2.1 previews is readable") {
    val narrow =
      "20 03000000 19000000 00000000 03000000 08000000 0c000000 726564 677265656e 626c7565"
    val wide =
      "40 0300000000000000 3100000000000000 0000000000000000 0300000000000000 0800000000000000" +
        "0c00000000000000 726564 677265656e 626c7565"
    // The marker of the old header is a nonzero byte of the count.
    val many = strings((0 until 300).map(_.toString): _*)
    val offsets = many.offsets.take(301).map(o => f"${Integer.reverseBytes(o)}%08x").mkString
    val old = "20" + "2c010000" + f"${Integer.reverseBytes(9 + 301 * 4)}%08x" + offsets +
      many.bytes.take(many.numBytes).map(b => f"$b%02x").mkString
    Seq(
      narrow -> strings("red", "green", "blue"),
      wide -> strings("red", "green", "blue"),
      old -> many
    ).foreach {
      case (bytes, expected) =>
        val block = CompressedBlock(Variable.message(32), Buffer(hex(bytes)))
        val decoded = decodeBlock(block, expected.numItems, VariableWidth(32))
        assert(contents(decoded) == contents(expected))
    }
  }

  test("a chunk other than the last has at least two values, regardless of their length") {
    val long = "x" * 9000
    val compressed = Variable.encodeMiniBlock(strings(long, long, long, long, long), 32)
    assert(compressed.chunks.map(_.numValues) == Seq(2, 2, 1))
  }

  test("decreasing or out-of-range offsets are corrupt, and previous values are kept") {
    val decoder = Compressions.miniBlock(Variable.message(32), VariableWidth(32))
    val out = strings("kept")
    Seq(
      "0c000000 0b000000 0d000000 61 484848",
      "0c000000 0d000000 0f000000 6148",
      "08000000 0d000000 0d000000 61"
    ).foreach {
      bytes =>
        val e =
          intercept[CorruptFileException](decoder.decode(Array(Buffer(hex(bytes))), 2, 0, 2, out))
        assert(e.problem.contains("offsets of values [0, 2)"))
        assert(contents(out) == contents(strings("kept")))
    }
  }

  test("per-value decoding returns the bytes unchanged") {
    val out = strings("a")
    Compressions.variablePerValue(
      Variable.message(64),
      VariableWidth(64)
    ).decode("xbcx".getBytes, 1, 2, out)
    assert(contents(out) == contents(strings("a", "bc")))
  }
}
