// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import scala.util.Random

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.value.Messages
import io.github.pysparklance.testkit.{EncodingSuite, TestRun}

class ByteStreamSplitSuite extends EncodingSuite {

  for (bits <- Seq(32, 64))
    test(s"round trip of $bits bits") {
      forAllValues(bits) { values =>
        val compressed = ByteStreamSplit.encodeMiniBlock(values, bits)
        checkMiniBlock(compressed, values, FixedWidth(bits))
        checkDamage(compressed, FixedWidth(bits))
      }
    }

  test("small and large values of any count, read from any position") {
    val random = new Random(TestRun.seed)
    (0 to 40).foreach { n =>
      val drawn = Seq.fill(n) {
        if (random.nextBoolean()) random.nextLong() else random.nextInt(1 << 20).toLong
      }
      val small = drawn.map(_ & 0xfffffffL)
      for (values <- Seq(drawn, small)) {
        val all = new LongValues
        values.foreach(all.append)
        val chunks = ByteStreamSplit.encodeMiniBlock(all, 64).chunks
        val decoder = Decoded(64)
        chunks.foreach { chunk =>
          (0 to n).foreach(from => assert(decoder(chunk.buffers, n, from) == values.drop(from)))
        }
      }
    }
  }

  private case class Decoded(bits: Int) {
    private val decoder =
      ByteStreamSplit.miniBlock(
        v2_1.ByteStreamSplit.newBuilder().setValues(Messages.flat(bits)).build(),
        FixedWidth(bits)
      )

    def apply(buffers: IndexedSeq[Buffer], n: Int, from: Int): Seq[Long] = {
      val out = new LongValues
      decoder.decode(buffers.toArray, n, from, n - from, out)
      out.array.take(n - from).toSeq
    }
  }

  test("golden bytes: 1 to 4 as floats") {
    val values = ints(Seq(1f, 2f, 3f, 4f).map(java.lang.Float.floatToIntBits): _*)
    val chunk = ByteStreamSplit.encodeMiniBlock(values, 32).chunks.head
    assert(toHex(chunk.buffers.head) == "0000000000000000800040803f404040")
  }
}
