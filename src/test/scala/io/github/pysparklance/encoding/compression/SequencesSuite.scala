// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.compression.bitpacking.{
  BitpackingKernel,
  InlineBitpacking,
  OutOfLineBitpacking
}
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi.{CompressedBlock, EncodingVersion, Progression}
import io.github.pysparklance.encoding.value.Messages
import io.github.pysparklance.testkit.{EncodingSuite, ValuesGenerators}

/** Sequences of unsigned numbers: `Range`, `Delta`, `Dictionary`, and the sequence form of the
  * other encodings.
  */
class SequencesSuite extends EncodingSuite {
  import ValuesGenerators.contents

  private val chooser = Compressions.of(EncodingVersion.V2_3)

  private def constant(bits: Int, number: Long): CompressiveEncoding = {
    val bytes = Array.tabulate(bits / 8)(b => (number >>> (b * 8)).toByte)
    message(
      _.setConstant(
        v2_1.Constant.newBuilder.setValue(com.google.protobuf.ByteString.copyFrom(bytes))
      )
    )
  }
  private val none = message(_.setConstant(v2_1.Constant.getDefaultInstance))

  private def range(bits: Int, start: Long, step: Long) = message(
    _.setRange(
      v2_1.Range.newBuilder
        .setUncompressedBitsPerValue(bits.toLong)
        .setStart(start)
        .setStep(step)
    )
  )
  private def delta(bits: Int, base: Long, deltas: CompressiveEncoding) = message(
    _.setDelta(
      v2_1.Delta.newBuilder
        .setUncompressedBitsPerValue(bits.toLong)
        .setBase(base)
        .setDeltas(deltas)
    )
  )
  private def rle(values: CompressiveEncoding, lengths: CompressiveEncoding) =
    message(_.setRle(v2_1.Rle.newBuilder.setValues(values).setRunLengths(lengths)))

  private def dictionary(indices: CompressiveEncoding, items: CompressiveEncoding, n: Int) =
    message(
      _.setDictionary(
        v2_1.Dictionary.newBuilder
          .setIndices(indices)
          .setItems(items)
          .setNumDictionaryItems(n)
      )
    )
  private val flat32 = Messages.flat(32)
  private val flat64 = Messages.flat(64)

  private def decode(
      encoding: CompressiveEncoding,
      bits: Int,
      numValues: Int,
      payload: Array[Byte] = Array.emptyByteArray
  ): Seq[Any] = {
    val decoder = chooser.sequence(encoding, bits)
    assert(decoder.hasPayload == payload.nonEmpty)
    val out = Values.allocate(FixedWidth(bits))
    out.appendFiller(2)
    decoder.decode(shifted(Buffer(payload)), numValues, out)
    val found = contents(out).drop(2)
    if (payload.nonEmpty) { // neither fewer bytes nor more numbers
      payload.indices.foreach { n =>
        onlyOurErrors(decodeAny(encoding, bits, numValues, payload.take(n)))
      }
      intercept[CorruptFileException](
        decodeAny(encoding, bits, numValues + 1, payload)
      ): Unit
    }
    found
  }

  private def decodeAny(
      encoding: CompressiveEncoding,
      bits: Int,
      numValues: Int,
      payload: Array[Byte]
  ): Unit = {
    val out = Values.allocate(FixedWidth(bits))
    chooser.sequence(encoding, bits).decode(Buffer(payload), numValues, out)
  }

  private def numbers(bits: Int, values: Long*): Array[Byte] =
    values.flatMap(v => Seq.tabulate(bits / 8)(b => (v >>> (b * 8)).toByte)).toArray

  private def progression(encoding: CompressiveEncoding, bits: Int, n: Long) =
    chooser.sequence(encoding, bits).progression(n)

  test("Constant: one number or none") {
    assert(decode(constant(32, 7), 32, 3) == Seq(7, 7, 7))
    assert(decode(constant(64, 1L << 40), 64, 2) == Seq(1L << 40, 1L << 40))
    assert(decode(none, 64, 0) == Seq.empty)
    assert(progression(constant(64, 9), 64, 5).contains(Progression(9, 0)))
    intercept[CorruptFileException](decode(none, 64, 1))
    intercept[CorruptFileException](decode(constant(64, 7), 64, 0))
    intercept[CorruptFileException](chooser.sequence(constant(32, 7), 64))
    intercept[CorruptFileException](chooser.sequence(constant(64, -1), 64))
  }

  test("Range: at least two numbers at equal distances") {
    assert(decode(range(32, 0, 10), 32, 4) == Seq(0, 10, 20, 30))
    assert(decode(range(64, 5, 1), 64, 2) == Seq(5L, 6L))
    assert(progression(range(64, 5, 3), 64, 9).contains(Progression(5, 3)))
    Seq(0, 1).foreach(n =>
      intercept[CorruptFileException](progression(range(32, 0, 1), 32, n.toLong))
    )
    intercept[CorruptFileException](chooser.sequence(range(32, 0, 0), 32))
    intercept[CorruptFileException](chooser.sequence(range(32, 0, 1), 64))
    intercept[CorruptFileException](progression(range(32, 0xfffffff0L, 8), 32, 3))
    intercept[CorruptFileException](progression(range(64, Long.MaxValue - 5, 3), 64, 3))
    intercept[CorruptFileException](chooser.sequence(range(64, -1, 1), 64))
  }

  test("Delta: sums of differences") {
    assert(decode(delta(32, 0, flat32), 32, 5, numbers(32, 2, 6, 6, 2)) == Seq(0, 2, 8, 14, 16))
    assert(decode(delta(64, 9, flat64), 64, 2, numbers(64, 1L << 35)) == Seq(9L, 9L + (1L << 35)))
    // 1 2 3 ...: differences without bytes
    assert(decode(delta(64, 0, range(64, 1, 1)), 64, 4) == Seq(0L, 1L, 3L, 6L))
    assert(progression(delta(64, 3, constant(64, 2)), 64, 4).contains(Progression(3, 2)))
    assert(progression(delta(64, 3, range(64, 1, 1)), 64, 4).isEmpty)
    intercept[CorruptFileException](decodeAny(delta(32, 0, flat32), 32, 1, Array.emptyByteArray))
    intercept[CorruptFileException](decode(delta(32, 1, flat32), 32, 2, numbers(32, 0xffffffffL)))
    intercept[CorruptFileException](decode(delta(64, 1, flat64), 64, 2, numbers(64, Long.MaxValue)))
  }

  test("packed numbers, and plain ones under a compressor") {
    forAllValues(32) { values =>
      if (values.numItems > 0) {
        val bytes = Flat.plainBytes(values, 32)
        val lz4 = General.encodeBlockLz4(CompressedBlock(flat32, Buffer(bytes)))
        assert(decode(lz4.encoding, 32, values.numItems, lz4.bytes.toBytes) == contents(values))
        val width = BitpackingKernel.bitWidth(values, 0, values.numItems)
        if (width > 0 && width < 32) {
          val packed = OutOfLineBitpacking.encodeBlock(values, 32, width, 0, values.numItems)
          val out = new IntValues
          chooser
            .sequence(OutOfLineBitpacking.message(32, width), 32)
            .decode(packed, values.numItems, out)
          assert(contents(out) == contents(values))
        }
      }
    }
    intercept[CorruptFileException](chooser.sequence(OutOfLineBitpacking.message(32, 32), 32))
    intercept[CorruptFileException](chooser.sequence(OutOfLineBitpacking.message(32, 0), 32))
  }

  test("Rle: the children determine the number of runs") {
    def frame(values: Array[Byte], lengths: Array[Byte]) =
      numbers(64, values.length.toLong) ++ values ++ lengths
    val expected = Seq(7L, 7L, 7L, 9L, 9L, 9L)
    val values = numbers(64, 7, 9)
    assert(decode(rle(flat64, flat32), 64, 6, frame(values, numbers(32, 3, 3))) == expected)
    assert(decode(rle(flat64, constant(32, 3)), 64, 6, frame(values, numbers(32))) == expected)
    assert(decode(
      rle(range(64, 7, 2), flat32),
      64,
      6,
      frame(numbers(64), numbers(32, 3, 3))
    ) == expected)
    assert(decode(rle(flat64, range(32, 1, 1)), 64, 3, frame(values, numbers(32))) == Seq(
      7L,
      9L,
      9L
    ))
    assert(decode(rle(range(32, 7, 2), constant(32, 2)), 32, 4) == Seq(7, 7, 9, 9))
    Seq(numbers(32, 3, 0), numbers(32, 3), numbers(32, 2, 3), numbers(32, 3, 4)).foreach { lengths =>
      intercept[CorruptFileException](
        decode(rle(flat64, flat32), 64, 6, frame(values, lengths))
      )
    }
    intercept[CorruptFileException](decode(
      rle(flat64, constant(32, 4)),
      64,
      6,
      frame(values, numbers(32))
    ))
    intercept[CorruptFileException](
      decode(rle(flat64, range(32, 2, 2)), 64, 5, frame(values, numbers(32)))
    )
    intercept[UnsupportedFeatureException](
      chooser.sequence(rle(InlineBitpacking.message(64), InlineBitpacking.message(32)), 64)
    )
  }

  test("Dictionary: positions in a list of items") {
    def frame(indices: Array[Byte], items: Array[Byte]) =
      numbers(64, indices.length.toLong, items.length.toLong) ++ indices ++ items
    val items = numbers(64, 1L << 33, 5)
    assert(
      decode(dictionary(flat32, flat64, 2), 64, 3, frame(numbers(32, 1, 0, 1), items)) ==
        Seq(5L, 1L << 33, 5L)
    )
    assert(
      decode(dictionary(range(32, 0, 1), flat64, 2), 64, 2, frame(numbers(32), items)) ==
        Seq(1L << 33, 5L)
    )
    assert(decode(dictionary(constant(32, 1), range(32, 4, 4), 3), 32, 2) == Seq(8, 8))
    intercept[CorruptFileException](
      decode(dictionary(flat32, flat64, 2), 64, 1, frame(numbers(32, 2), items))
    )
    intercept[CorruptFileException](
      decode(dictionary(flat32, flat64, 2), 64, 1, frame(numbers(32, -1), items))
    )
    intercept[CorruptFileException](
      decode(dictionary(flat32, flat64, 2), 64, 1, frame(numbers(32, 0), items) :+ 0.toByte)
    )
    Seq(0, 4097, -1).foreach { n =>
      intercept[CorruptFileException](chooser.sequence(dictionary(flat32, flat64, n), 64))
    }
  }

  test("double nesting and non-sequences are rejected") {
    Seq(
      delta(64, 0, delta(64, 0, flat64)),
      delta(64, 0, rle(flat64, flat32)),
      dictionary(delta(32, 0, flat32), flat64, 2),
      Variable.message(32),
      CompressiveEncoding.getDefaultInstance
    ).foreach(e => intercept[UnsupportedFeatureException](chooser.sequence(e, 64)))
    intercept[UnsupportedFeatureException](Compressions.sequence(range(64, 0, 1), 64))
  }

  private def variable(offsets: CompressiveEncoding) =
    message(_.setVariable(v2_1.Variable.newBuilder.setOffsets(offsets)))

  private def decodeStrings(
      offsets: CompressiveEncoding,
      numValues: Int,
      buffers: Array[Byte]*
  ): Seq[String] = {
    val decoder = chooser.miniBlock(variable(offsets), VariableWidth(32))
    assert(decoder.numBuffers == buffers.length)
    val shiftedBuffers = buffers.map(b => shifted(Buffer(b))).toArray
    val whole = new BinaryValues
    decoder.decode(shiftedBuffers, numValues, 0, numValues, whole)
    val parts = new BinaryValues
    (0 until numValues).foreach(i => decoder.decode(shiftedBuffers, numValues, i, 1, parts))
    assert(contents(parts) == contents(whole))
    (0 until numValues).map(i =>
      new String(whole.bytes, whole.offsets(i), whole.offsets(i + 1) - whole.offsets(i), "UTF-8")
    )
  }

  test("Variable with a sequence of offsets") {
    assert(decodeStrings(range(32, 0, 2), 3, "aabbcc".getBytes) == Seq("aa", "bb", "cc"))
    assert(decodeStrings(constant(64, 0), 2, Array.emptyByteArray) == Seq("", ""))
    val deltas = delta(32, 0, flat32)
    assert(decodeStrings(deltas, 3, numbers(32, 1, 0, 2), "abb".getBytes) == Seq("a", "", "bb"))
    assert(decodeStrings(delta(64, 0, flat64), 2, numbers(64, 2, 1), "aab".getBytes) == Seq(
      "aa",
      "b"
    ))
    intercept[CorruptFileException](decodeStrings(range(32, 0, 2), 3, "aabbc".getBytes))
    intercept[CorruptFileException](decodeStrings(range(32, 1, 2), 1, "abc".getBytes))
    intercept[CorruptFileException](decodeStrings(deltas, 3, numbers(32, 1, 0, 3), "abb".getBytes))
    intercept[CorruptFileException](
      decodeStrings(
        General.encodeBlockLz4(CompressedBlock(flat32, Buffer(numbers(32, 0, 2, 1)))).encoding,
        2,
        General.encodeBlockLz4(CompressedBlock(flat32, Buffer(numbers(32, 0, 2, 1)))).bytes.toBytes,
        "a".getBytes
      )
    )
    // 2.1 and 2.2 have plain offsets
    intercept[UnsupportedFeatureException](
      Compressions.miniBlock(variable(range(32, 0, 2)), VariableWidth(32))
    )
  }

  test("Rle of a chunk with compressed and packed children") {
    val lengths = Seq(300L, 20L)
    val packed = OutOfLineBitpacking.encodeBlock(ints(7, 9), 32, 4, 0, 2).toBytes
    val values = OutOfLineBitpacking.message(32, 4)
    val lz4 =
      General.encodeBlockLz4(CompressedBlock(Messages.flat(16), Buffer(numbers(16, lengths: _*))))
    val decoder = chooser.miniBlock(rle(values, lz4.encoding), FixedWidth(32))
    val out = new IntValues
    decoder.decode(Array(Buffer(packed), lz4.bytes), 320, 0, 320, out)
    assert(contents(out) == Seq.fill(300)(7) ++ Seq.fill(20)(9))
    intercept[CorruptFileException](
      decoder.decode(Array(Buffer(packed), lz4.bytes), 321, 0, 321, new IntValues)
    )
    intercept[CorruptFileException](chooser.miniBlock(
      rle(values, OutOfLineBitpacking.message(16, 3)),
      FixedWidth(32)
    ))
    intercept[UnsupportedFeatureException](Compressions.miniBlock(
      rle(values, Messages.flat(8)),
      FixedWidth(32)
    ))
  }
}
