// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding.CompressionCase
import io.github.pysparklance.encoding.spi.EncodingVersion
import io.github.pysparklance.testkit.{EncodingSuite, ValuesGenerators}

class EncodingChooserSuite extends EncodingSuite {
  override protected def numSamples = 12
  import ValuesGenerators.contents

  private val v2_1 = new EncodingChooser(EncodingVersion.V2_1)
  private val v2_2 = new EncodingChooser(EncodingVersion.V2_2)

  for (chooser <- Seq(v2_1, v2_2)) {
    test(s"whatever is chosen for ${chooser.version} gives the values back") {
      Seq(1, 8, 16, 32, 64, 128).foreach { bits =>
        forAllValues(bits)(values =>
          checkMiniBlock(chooser.miniBlock(values, FixedWidth(bits)), values, FixedWidth(bits))
        )
      }
      forAllStrings(values =>
        checkMiniBlock(chooser.miniBlock(values, VariableWidth(32)), values, VariableWidth(32))
      )
    }

    test(s"dictionaries for ${chooser.version} give the values back") {
      forAllStrings { values =>
        chooser.dictionary(values, VariableWidth(32)).foreach { d =>
          val items = contents(decodeBlock(d.items, d.numItems, VariableWidth(32)))
          assert(d.indices.array.take(values.numItems).toSeq.map(items(_)) == contents(values))
        }
      }
    }

    test(s"levels for ${chooser.version} give themselves back, chunk by chunk") {
      forAllValues(16) { values =>
        val narrow = values.asInstanceOf[ShortValues]
        (0 until narrow.numItems).foreach(i => narrow.array(i) = (narrow.array(i) & 3).toShort)
        val encoder = chooser.levels(narrow.array, narrow.numItems)
        var from = 0
        while (from < narrow.numItems) {
          val n = math.min(700, narrow.numItems - from)
          val out = new ShortValues
          Compressions.block(
            encoder.encoding,
            FixedWidth(16)
          ).decode(shifted(encoder.encode(narrow.array, from, n)), n, out)
          assert(contents(out) == contents(narrow).slice(from, from + n))
          from += n
        }
      }
    }
  }

  private def chosen(values: Values, valueType: ValueType) =
    v2_2.miniBlock(values, valueType).encoding.getCompressionCase

  test("statistics decide: runs, few bits, all bits, texts") {
    val random = new scala.util.Random(1)
    assert(chosen(ints((0 until 5000).map(_ / 100): _*), FixedWidth(32)) == CompressionCase.RLE)
    assert(chosen(
      ints(Seq.fill(5000)(random.nextInt(1000)): _*),
      FixedWidth(32)
    ) == CompressionCase.INLINE_BITPACKING)
    assert(chosen(
      ints(Seq.fill(5000)(random.nextInt()): _*),
      FixedWidth(32)
    ) == CompressionCase.FLAT)
    val texts = strings((0 until 5000).map(i => s"the order number $i was shipped"): _*)
    assert(chosen(texts, VariableWidth(32)) == CompressionCase.FSST)
    assert(chosen(
      strings((0 until 5000).map(_.toString): _*),
      VariableWidth(32)
    ) == CompressionCase.VARIABLE)
  }

  test("versions differ: runs of levels, compressed items and 64-bit dictionaries only since 2.2") {
    val levels = Array.tabulate[Short](5000)(i => (i / 1000 % 2).toShort)
    assert(v2_1.levels(
      levels,
      5000
    ).encoding.getCompressionCase == CompressionCase.OUT_OF_LINE_BITPACKING)
    assert(v2_1.levels(
      levels,
      1000
    ).encoding.getCompressionCase == CompressionCase.INLINE_BITPACKING)
    assert(v2_2.levels(levels, 5000).encoding.getCompressionCase == CompressionCase.RLE)

    val longs = new LongValues
    (0 until 5000).foreach(i => longs.append((i % 7) * 123456789012345L))
    assert(v2_1.dictionary(longs, FixedWidth(64)).isEmpty)
    assert(v2_2.dictionary(longs, FixedWidth(64)).get.numItems == 7)

    val cities =
      strings((0 until 5000).map(i => s"city number ${i * 31 % 40} of the long list of cities"): _*)
    assert(v2_1.dictionary(cities, VariableWidth(32)).get.items.encoding.hasVariable)
    assert(v2_2.dictionary(cities, VariableWidth(32)).get.items.encoding.hasGeneral)
  }
}
