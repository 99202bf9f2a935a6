// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.testkit.EncodingSuite

class ByteStreamSplitSuite extends EncodingSuite {

  for (bits <- Seq(32, 64))
    test(s"round trip of $bits bits") {
      forAllValues(bits) { values =>
        val compressed = ByteStreamSplit.encodeMiniBlock(values, bits)
        checkMiniBlock(compressed, values, FixedWidth(bits))
        checkDamage(compressed, FixedWidth(bits))
      }
    }

  test("golden bytes: 1 to 4 as floats") {
    val values = ints(Seq(1f, 2f, 3f, 4f).map(java.lang.Float.floatToIntBits): _*)
    val chunk = ByteStreamSplit.encodeMiniBlock(values, 32).chunks.head
    assert(toHex(chunk.buffers.head) == "0000000000000000800040803f404040")
  }
}
