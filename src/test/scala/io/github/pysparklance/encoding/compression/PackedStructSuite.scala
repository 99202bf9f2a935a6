// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.testkit.{EncodingSuite, ValuesGenerators}

class PackedStructSuite extends EncodingSuite {
  import ValuesGenerators.contents

  private val children = IndexedSeq(FixedWidth(32), FixedWidth(64), FixedWidth(8), FixedWidth(128))
  private val valueType = PackedStructType(children)

  private val structs = for {
    n <- ValuesGenerators.numItems
    a <- ValuesGenerators.fixed(32, n)
    b <- ValuesGenerators.fixed(64, n)
    c <- ValuesGenerators.fixed(8, n)
    d <- ValuesGenerators.fixed(128, n)
  } yield {
    val values = new PackedStructValues(IndexedSeq(a, b, c, d))
    values.extend(n)
    values
  }

  test("round trip") {
    forAllOf(structs) { values =>
      val compressed = PackedStruct.encodeMiniBlock(values, children)
      checkMiniBlock(compressed, values, valueType)
      checkDamage(compressed, valueType)
    }
  }

  test("golden bytes: rows of i32, i64, and u8, as a chunk and per value") {
    val types = IndexedSeq(FixedWidth(32), FixedWidth(64), FixedWidth(8))
    val one = new PackedStructValues(types.map(Values.allocate))
    one.appendFiller(1)
    one.children(0).asInstanceOf[IntValues].array(0) = 1
    one.children(2).asInstanceOf[ByteValues].array(0) = 3
    val compressed = PackedStruct.encodeMiniBlock(one, types)
    assert(compressed.encoding.getPackedStruct.getValues.getFlat.getBitsPerValue == 104)
    val bytes = compressed.chunks.head.buffers.head
    assert(toHex(bytes) == "01000000" + "0000000000000000" + "03")
    val out = Values.allocate(PackedStructType(types))
    Compressions.fixedPerValue(compressed.encoding, PackedStructType(types)).decode(bytes, 1, out)
    assert(contents(out) == contents(one))
  }
}
