// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.spi.{CompressedBlock, CompressedMiniBlock}

/** Shared code of the suites of encodings: complete and partial round trips, golden bytes, and
  * damaged bytes.
  */
abstract class EncodingSuite extends AnyFunSuite with SeededChecks {
  import ValuesGenerators.contents

  /** Returns bytes from hexadecimal digits; spaces and bars are ignored. */
  protected def hex(text: String): Array[Byte] =
    text.filterNot(c => c.isWhitespace || c == '|').grouped(2).map(Integer.parseInt(
      _,
      16
    ).toByte).toArray

  protected def toHex(buffer: Buffer): String = buffer.toBytes.map(b => f"$b%02x").mkString

  protected def ints(values: Int*): IntValues = {
    val v = new IntValues
    values.foreach(v.append)
    v
  }

  protected def shorts(values: Int*): ShortValues = {
    val v = new ShortValues
    values.foreach(x => v.append(x.toShort))
    v
  }

  protected def strings(values: String*): BinaryValues = {
    val v = new BinaryValues
    values.map(_.getBytes("UTF-8")).foreach(b => v.append(b, 0, b.length))
    v
  }

  /** Copies the bytes to an odd position of a larger array, so that no decoder can rely on the
    * start of its array.
    */
  protected def shifted(buffer: Buffer): Buffer = {
    val array = Array.fill[Byte](buffer.length + 13)(0x5a)
    buffer.copyBytes(0, array, 7, buffer.length)
    new Buffer(array, 7, buffer.length)
  }

  /** Decodes the chunks in order, each completely or in parts at `cuts`, and appends to `out`.
    */
  protected def decodeChunks(
      compressed: CompressedMiniBlock,
      valueType: ValueType,
      out: Values,
      parts: Int = 1
  ): Unit = {
    val decoder = Compressions.miniBlock(compressed.encoding, valueType)
    compressed.chunks.foreach { chunk =>
      assert(chunk.buffers.length == decoder.numBuffers)
      val buffers = chunk.buffers.map(shifted).toArray
      val cuts = (0 to parts).map(i => (chunk.numValues.toLong * i / parts).toInt)
      cuts.zip(cuts.tail).foreach { case (from, until) =>
        decoder.decode(buffers, chunk.numValues, from, until - from, out)
      }
    }
  }

  /** Checks that chunks follow the rules of the layout, and return the values completely, in parts,
    * and in any slice.
    */
  protected def checkMiniBlock(
      compressed: CompressedMiniBlock,
      values: Values,
      valueType: ValueType
  ): Unit = {
    val expected = contents(values)
    assert(compressed.chunks.map(_.numValues).sum == values.numItems)
    compressed.chunks.dropRight(1).foreach { c =>
      assert(
        c.numValues >= 2 && Integer.bitCount(c.numValues) == 1,
        "values of a chunk that is not the last"
      )
    }
    Seq(1, 2, 7).foreach { parts =>
      val out = Values.allocate(valueType)
      decodeChunks(compressed, valueType, out, parts)
      assert(contents(out) == expected, s"in $parts parts")
    }
    val decoder = Compressions.miniBlock(compressed.encoding, valueType)
    val random = new scala.util.Random(values.numItems)
    var start = 0
    compressed.chunks.foreach { chunk =>
      val from = random.nextInt(chunk.numValues + 1)
      val count = random.nextInt(chunk.numValues - from + 1)
      val out = Values.allocate(valueType)
      out.appendFiller(3)
      decoder.decode(chunk.buffers.map(shifted).toArray, chunk.numValues, from, count, out)
      assert(contents(out).drop(3) == expected.slice(start + from, start + from + count))
      start += chunk.numValues
    }
  }

  protected def decodeBlock(
      compressed: CompressedBlock,
      numValues: Int,
      valueType: ValueType
  ): Values = {
    val out = Values.allocate(valueType)
    Compressions.block(
      compressed.encoding,
      valueType
    ).decode(shifted(compressed.bytes), numValues, out)
    out
  }

  /** Checks that `body` raises only Lance errors. */
  protected def onlyOurErrors(body: => Unit): Unit =
    try body
    catch { case _: CorruptFileException | _: UnsupportedFeatureException => () }

  /** Checks that a truncated or changed chunk returns wrong values or raises a Lance error. */
  protected def checkDamage(compressed: CompressedMiniBlock, valueType: ValueType): Unit = {
    val random = new scala.util.Random(compressed.sizeInBytes)
    val decoder = Compressions.miniBlock(compressed.encoding, valueType)
    compressed.chunks.headOption.foreach { chunk =>
      (1 to 40).foreach { _ =>
        val damaged = chunk.buffers.map(b => damage(b, random)).toArray
        onlyOurErrors(decoder.decode(
          damaged,
          chunk.numValues,
          0,
          chunk.numValues,
          Values.allocate(valueType)
        ))
      }
    }
  }

  protected def checkDamage(
      compressed: CompressedBlock,
      numValues: Int,
      valueType: ValueType
  ): Unit = {
    val random = new scala.util.Random(compressed.bytes.length)
    (1 to 40).foreach { _ =>
      val damaged = CompressedBlock(compressed.encoding, damage(compressed.bytes, random))
      onlyOurErrors(decodeBlock(damaged, numValues, valueType): Unit)
    }
  }

  private def damage(buffer: Buffer, random: scala.util.Random): Buffer = {
    val bytes = if (random.nextBoolean()) buffer.toBytes
    else buffer.toBytes.take(random.nextInt(buffer.length + 1))
    if (bytes.nonEmpty)
      (0 to random.nextInt(4)).foreach { _ =>
        // Early bytes are more often headers.
        val at = if (random.nextBoolean()) random.nextInt(bytes.length)
        else random.nextInt(math.min(16, bytes.length))
        bytes(at) = random.nextInt(256).toByte
      }
    Buffer(bytes)
  }

  protected def forAllValues(bits: Int)(body: Values => Any): Unit =
    forAllOf(ValuesGenerators.numItems.flatMap(ValuesGenerators.fixed(bits, _)))(body)

  protected def forAllStrings(body: BinaryValues => Any): Unit =
    forAllOf(ValuesGenerators.numItems.flatMap(ValuesGenerators.strings))(body)

  protected def message(build: CompressiveEncoding.Builder => CompressiveEncoding.Builder)
      : CompressiveEncoding =
    build(CompressiveEncoding.newBuilder).build
}
