// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import org.scalacheck.Gen

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.testkit.{EncodingSuite, ValuesGenerators}

class FixedSizeListSuite extends EncodingSuite {
  import ValuesGenerators.contents

  private def innermost(valueType: ValueType): (Int, Int) = valueType match {
    case FixedSizeListType(dimension, items) =>
      val (n, bits) = innermost(items)
      (dimension * n, bits)
    case FixedWidth(bits) => (1, bits)
    case other => throw new IllegalArgumentException(other.toString)
  }

  /** Lists of this type; each layer has nulls or not. */
  private def lists(valueType: FixedSizeListType): Gen[FixedSizeListValues] = for {
    n <- Gen.choose(0, 300)
    (perList, bits) = innermost(valueType)
    leaf <- ValuesGenerators.fixed(bits, n * perList)
    seed <- Gen.long
  } yield {
    val random = new scala.util.Random(seed)
    def build(t: FixedSizeListType, numLists: Int): FixedSizeListValues = {
      val items = t.items match {
        case inner: FixedSizeListType => build(inner, numLists * t.dimension)
        case _ => leaf
      }
      val out = new FixedSizeListValues(t.dimension, items)
      val kind = random.nextInt(3)
      if (kind > 0 && numLists > 0) {
        val validity = out.ensureItemValidity()
        (0 until numLists * t.dimension).foreach(_ =>
          validity.append(kind == 1 && random.nextBoolean())
        )
      }
      out.extend(numLists)
      out
    }
    build(valueType, n)
  }

  private val types = Seq(
    FixedSizeListType(3, FixedWidth(16)),
    FixedSizeListType(8, FixedWidth(32)),
    FixedSizeListType(5, FixedWidth(1)),
    FixedSizeListType(2, FixedSizeListType(2, FixedWidth(16))),
    FixedSizeListType(3, FixedSizeListType(1, FixedSizeListType(4, FixedWidth(64))))
  )

  for (valueType <- types) {
    test(s"mini-block round trip of $valueType") {
      forAllOf(lists(valueType)) { values =>
        val compressed = FixedSizeList.encodeMiniBlock(values, valueType)
        checkMiniBlock(compressed, values, valueType)
        checkDamage(compressed, valueType)
      }
    }

    test(s"per-value round trip of $valueType") {
      forAllOf(lists(valueType)) { values =>
        val compressed = FixedSizeList.encodePerValue(values, valueType)
        val decoder = Compressions.fixedPerValue(compressed.encoding, valueType)
        assert(decoder.bytesPerValue == compressed.bytesPerValue)
        val out = Values.allocate(valueType)
        val half = values.numItems / 2
        decoder.decode(shifted(compressed.bytes), half, out)
        val rest = compressed.bytes.slice(
          half.toLong * compressed.bytesPerValue,
          (values.numItems - half).toLong * compressed.bytesPerValue
        )
        decoder.decode(rest, values.numItems - half, out)
        assert(contents(out) == contents(values))
      }
    }
  }

  private def example: FixedSizeListValues = {
    val values = new FixedSizeListValues(3, shorts(1, 0, 3, 4, 5, 0))
    val validity = values.ensureItemValidity()
    Seq(true, false, true, true, true, false).foreach(validity.append)
    values.extend(2)
    values
  }

  test("golden bytes: a list with null items") {
    val chunk = FixedSizeList.encodeMiniBlock(example, types.head).chunks.head
    assert(chunk.buffers.map(toHex) == Seq("1d", "010000000300040005000000"))
    assert(toHex(FixedSizeList.encodePerValue(
      example,
      types.head
    ).bytes) == "05010000000300" + "03040005000000")
  }

  test("bits of a bitmap beyond the items of a value are ignored") {
    val out = Values.allocate(types.head)
    val compressed = FixedSizeList.encodePerValue(example, types.head)
    Compressions.fixedPerValue(
      compressed.encoding,
      types.head
    ).decode(Buffer(hex("c5010000000300 03040005000000")), 2, out)
    assert(contents(out) == contents(example))
  }

  test("a dimension other than the column's is corrupt") {
    val compressed = FixedSizeList.encodeMiniBlock(example, types.head)
    assertThrows[CorruptFileException](Compressions.miniBlock(
      compressed.encoding,
      FixedSizeListType(4, FixedWidth(16))
    ))
    assertThrows[CorruptFileException](Compressions.miniBlock(
      compressed.encoding,
      FixedSizeListType(3, FixedWidth(32))
    ))
  }
}
