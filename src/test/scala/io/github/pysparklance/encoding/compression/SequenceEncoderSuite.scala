// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{Buffer, LongValues}
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding.CompressionCase
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding.CompressionCase._
import io.github.pysparklance.encoding.spi.EncodingVersion
import io.github.pysparklance.testkit.PropertyChecks

class SequenceEncoderSuite extends AnyFunSuite with PropertyChecks {

  private def roundTrip(numbers: Seq[Long]): SequenceEncoder.Encoded = {
    val encoded = SequenceEncoder.encode(numbers.toArray, numbers.length)
    val decoder = Compressions.of(EncodingVersion.V2_3).sequence(encoded.encoding, 64)
    assert(decoder.hasPayload == encoded.payload.isDefined)
    val out = new LongValues
    decoder.decode(encoded.payload.getOrElse(Buffer.empty), numbers.length, out)
    assert(out.array.take(out.numItems).toSeq == numbers)
    encoded
  }

  private def form(numbers: Seq[Long]): CompressionCase =
    roundTrip(numbers).encoding.getCompressionCase

  test("numbers of any size round-trip") {
    val sizes = Gen.oneOf(1L, 100L, 1L << 20, 1L << 40, Long.MaxValue)
    forAll(Gen.choose(0, 3000), sizes, Gen.long) { (n: Int, most: Long, seed: Long) =>
      val random = new scala.util.Random(seed)
      val numbers = Seq.fill(n)((random.nextLong() >>> 1) % most)
      roundTrip(numbers): Unit
      roundTrip(numbers.sorted): Unit
    }
  }

  test("the shortest form is chosen: empty, one number, range, packed deltas, packed, plain") {
    assert(form(Nil) == CONSTANT && !roundTrip(Nil).encoding.getConstant.hasValue)
    assert(form(Seq(5)) == CONSTANT && form(Seq.fill(100)(9L)) == CONSTANT)
    assert(form(Seq(3, 5)) == RANGE && form((0L until 1000L).map(_ * 7 + 2)) == RANGE)
    val random = new scala.util.Random(2)
    val rising = Seq.fill(2048)(random.nextInt(4).toLong).scanLeft(1L << 30)(_ + _)
    assert(form(rising) == DELTA)
    assert(form(Seq.fill(2048)(random.nextInt(4).toLong)) == OUT_OF_LINE_BITPACKING)
    assert(form(Seq(Long.MaxValue, 0L, 3L)) == FLAT)
    // 128 bytes for each bit of a number; a number has 2048 bits.
    assert(roundTrip(rising).payload.get.length == 2 * 128 * 2)
  }
}
