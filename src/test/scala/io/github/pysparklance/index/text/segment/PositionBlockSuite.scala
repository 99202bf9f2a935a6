// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CorruptFileException

class PositionBlockSuite extends AnyFunSuite {

  private def block(frequency: Int): PostingBlock = {
    val block = new PostingBlock
    block.size = 2
    block.frequencies(0) = frequency
    block.frequencies(1) = 1
    block
  }

  test("more positions than the bytes can hold are rejected before allocation") {
    val packed =
      new SharedPositions(new ByteStrings(new Array[Byte](3), Array(0, 3)), isPacked = true)
    val plain =
      new SharedPositions(new ByteStrings(new Array[Byte](3), Array(0, 3)), isPacked = false)
    val parts = new ByteStrings(new Array[Byte](10), Array(0, 10))
    assert(packed.maxPositions(0) == 384 && plain.maxPositions(0) == 3)
    assert(new DocumentPositions(parts, Array(0, 1)).maxPositions(0) == 256)
    val positions = new PositionBlock
    positions.reset(block(383), packed.maxPositions(0))
    assert(positions.starts(2) == 384 && positions.values.length >= 384)
    val room = positions.values.length
    for (frequency <- Seq(384, 1 << 25, Int.MaxValue, -1)) {
      intercept[CorruptFileException](positions.reset(block(frequency), packed.maxPositions(0)))
      assert(positions.values.length == room)
    }
    intercept[CorruptFileException](positions.reset(block(3), plain.maxPositions(0)))
  }
}
