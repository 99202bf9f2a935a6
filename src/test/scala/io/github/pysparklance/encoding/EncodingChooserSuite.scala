// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding.CompressionCase
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.testkit.{EncodingSuite, RandomBytes, ValuesGenerators}

class EncodingChooserSuite extends EncodingSuite {
  override protected def numSamples = 12
  import ValuesGenerators.contents

  private val v2_1 = new EncodingChooser(EncodingVersion.V2_1)
  private val v2_2 = new EncodingChooser(EncodingVersion.V2_2)

  for (chooser <- Seq(v2_1, v2_2)) {
    test(s"every chosen encoding of ${chooser.version} round-trips values") {
      Seq(1, 8, 16, 32, 64, 128).foreach { bits =>
        forAllValues(bits)(values =>
          checkMiniBlock(chooser.miniBlock(values, FixedWidth(bits)), values, FixedWidth(bits))
        )
      }
      forAllStrings(values =>
        checkMiniBlock(chooser.miniBlock(values, VariableWidth(32)), values, VariableWidth(32))
      )
    }

    test(s"dictionaries of ${chooser.version} round-trip values") {
      forAllStrings { values =>
        chooser.dictionary(values, VariableWidth(32)).foreach { d =>
          val items = contents(decodeBlock(d.items, d.numItems, VariableWidth(32)))
          assert(d.indices.array.take(values.numItems).toSeq.map(items(_)) == contents(values))
        }
      }
    }

    test(s"levels of ${chooser.version} round-trip chunk by chunk") {
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

  test("statistics select the encoding: runs, few bits, all bits, strings") {
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

  test("long values are compressed, dense ones are plain") {
    val random = new scala.util.Random(2)
    def of(value: => Array[Byte]): BinaryValues = {
      val values = new BinaryValues
      (0 until 40).foreach { _ =>
        val bytes = value
        values.append(bytes, 0, bytes.length)
      }
      values
    }
    def chosen(values: BinaryValues) =
      v2_2.variablePerValue(values, VariableWidth(32)).encoding.getCompressionCase
    assert(chosen(of(RandomBytes(random, 5000))) == CompressionCase.VARIABLE)
    val text = "the order was shipped, the order was returned, "
    assert(chosen(of((text * (100 + random.nextInt(9))).getBytes)) == CompressionCase.GENERAL)
  }

  test("run-length levels, compressed items, and 64-bit dictionaries are used only since 2.2") {
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

  private def decimals(n: Int, mask: Long): WideValues = {
    val random = new scala.util.Random(3)
    val values = new WideValues(16)
    (0 until n).foreach { _ =>
      val at = values.extend(1)
      Buffer.putLong(values.bytes, at, random.nextLong() & mask)
      Buffer.putLong(values.bytes, at + 8, if (mask == -1L) random.nextLong() else 0L)
    }
    values
  }

  private def doubles(n: Int)(f: Int => Double): LongValues = {
    val values = new LongValues
    (0 until n).foreach(i => values.append(java.lang.Double.doubleToRawLongBits(f(i))))
    values
  }

  test(
    "compression is used only if it saves much: small decimals and regular times, not random numbers"
  ) {
    val small = decimals(5000, 0xffffffL)
    val compressed = v2_2.miniBlock(small, FixedWidth(128))
    assert(compressed.encoding.getGeneral.getValues.hasFlat)
    assert(compressed.sizeInBytes * 2 < small.sizeInBytes)
    checkMiniBlock(compressed, small, FixedWidth(128))
    assert(chosen(decimals(5000, -1L), FixedWidth(128)) == CompressionCase.FLAT)

    val times = new LongValues
    (0 until 20000).foreach(i => times.append(1700000000000000L + i * 1000000L + i % 7))
    val split = v2_2.miniBlock(times, FixedWidth(64))
    assert(split.encoding.getGeneral.getValues.hasByteStreamSplit)
    checkMiniBlock(split, times, FixedWidth(64))
    val random = new scala.util.Random(5)
    assert(chosen(
      doubles(20000)(_ => random.nextGaussian()),
      FixedWidth(64)
    ) == CompressionCase.FLAT)
    assert(chosen(ints(Seq.fill(20000)(random.nextInt(1000)): _*), FixedWidth(32)) ==
      CompressionCase.INLINE_BITPACKING)
  }

  private def asking(options: EncodingOptions) = new EncodingChooser(EncodingVersion.V2_2, options)
  private val lz4 = CompressionRequest.General(GeneralScheme.Lz4)
  private val zstd = CompressionRequest.General(GeneralScheme.Zstd(5))

  test("a column uses its configured compression") {
    val values = ints((0 until 20000).map(_ / 100): _*)
    def encoding(options: EncodingOptions) = {
      val compressed = asking(options).miniBlock(values, FixedWidth(32))
      checkMiniBlock(compressed, values, FixedWidth(32))
      compressed.encoding
    }
    assert(encoding(EncodingOptions(compression = Some(CompressionRequest.Plain))).hasFlat)
    assert(!encoding(EncodingOptions(rleThreshold = Some(0.001))).hasRle)
    assert(encoding(EncodingOptions(rleThreshold = Some(0.5))).hasRle)
    val split = encoding(EncodingOptions(compression = Some(zstd)))
    assert(split.getGeneral.getValues.hasByteStreamSplit)
    assert(split.getGeneral.getCompression.getLevel == 5)
    val off = EncodingOptions(
      compression = Some(lz4),
      byteSplitting = ByteSplitting.Off,
      rleThreshold = Some(0.0)
    )
    assert(encoding(off).getGeneral.getValues.hasInlineBitpacking)
    // Too small for compression to pay off.
    val few = asking(EncodingOptions(compression = Some(lz4))).miniBlock(ints(1, 2), FixedWidth(32))
    assert(!few.encoding.hasGeneral)
  }

  test("a string column uses its configured compression") {
    val texts = strings((0 until 5000).map(i => s"the order number $i was shipped"): _*)
    def encoding(options: EncodingOptions) = {
      val compressed = asking(options).miniBlock(texts, VariableWidth(32))
      checkMiniBlock(compressed, texts, VariableWidth(32))
      compressed
    }
    assert(encoding(EncodingOptions(compression =
      Some(CompressionRequest.Plain)
    )).encoding.hasVariable)
    assert(encoding(
      EncodingOptions(compression = Some(zstd))
    ).encoding.getGeneral.getValues.hasVariable)
    assert(encoding(EncodingOptions(compression =
      Some(CompressionRequest.Symbols)
    )).encoding.hasFsst)
    val chunky = EncodingOptions(
      compression = Some(CompressionRequest.Plain),
      minichunkBytes = Some(100000)
    )
    assert(encoding(chunky).chunks.head.numValues == 2048)
    val small = new EncodingChooser(EncodingVersion.V2_1, chunky)
    assert(small.miniBlock(texts, VariableWidth(32)).chunks.head.numValues < 256)
    val tiny = asking(EncodingOptions(compression = Some(CompressionRequest.Symbols)))
    val two = strings("a", "")
    val coded = tiny.miniBlock(two, VariableWidth(32))
    assert(coded.encoding.hasFsst)
    checkMiniBlock(coded, two, VariableWidth(32))
  }

  test("dictionaries respect the configured limits of the column") {
    val cities =
      strings((0 until 5000).map(i => s"city number ${i * 31 % 40} of the long list of cities"): _*)
    def found(options: EncodingOptions) = asking(options).dictionary(cities, VariableWidth(32))
    assert(found(EncodingOptions(dictDivisor = 200)).isEmpty)
    assert(found(EncodingOptions(dictMaxBytes = 1000)).isEmpty)
    assert(found(EncodingOptions(dictSizeRatio = Some(0.001))).isEmpty)
    assert(found(EncodingOptions(dictSizeRatio = Some(0.5))).isDefined)
    val plain = found(EncodingOptions(dictValues = Some(CompressionRequest.Plain))).get
    assert(plain.items.encoding.hasVariable)
    val squeezed = found(EncodingOptions(dictValues = Some(zstd))).get
    assert(squeezed.items.encoding.getGeneral.getCompression.getSchemeValue == 2)
  }

  test("wide strings: general compression for long ones, FSST for shorter ones, or as configured") {
    val random = new scala.util.Random(11)
    val words = IndexedSeq.fill(400)(random.alphanumeric.take(3 + random.nextInt(8)).mkString)
    def text(n: Int) = Seq.fill(n)(words(random.nextInt(words.length))).mkString(" ")
    val long = strings(Seq.fill(40)(text(8000)): _*)
    def encoding(options: EncodingOptions, values: BinaryValues) =
      asking(options).variablePerValue(values, VariableWidth(32)).encoding
    assert(encoding(EncodingOptions.default, long).getGeneral.getValues.hasVariable)
    assert(encoding(EncodingOptions.default, strings(Seq.fill(500)(text(50)): _*)).hasFsst)
    assert(encoding(EncodingOptions.default, strings("a", "b")).hasVariable)
    assert(encoding(
      EncodingOptions(compression = Some(CompressionRequest.Plain)),
      long
    ).hasVariable)
    assert(encoding(
      EncodingOptions(compression = Some(lz4)),
      long
    ).getGeneral.getCompression.getSchemeValue == 1)
  }
}
