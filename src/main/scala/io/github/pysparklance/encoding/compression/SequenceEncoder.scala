// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import com.google.protobuf.ByteString

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.bitpacking.OutOfLineBitpacking
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.value.Messages

/** Encodes sequences of unsigned numbers in the shortest form that [[Sequences]] reads. Equal and
  * evenly spaced numbers take no bytes. Others are plain, bit-packed, or bit-packed differences.
  * Source: format page of the compressive encodings, "2.3 generic unsigned sequences". Hot code:
  * imperative.
  */
private[encoding] object SequenceEncoder {

  /** An encoded sequence.
    *
    * @param payload `None` if the description is complete
    */
  final case class Encoded(encoding: CompressiveEncoding, payload: Option[Buffer]) {
    def numBytes: Long = encoding.getSerializedSize + payload.fold(0L)(_.length.toLong)
  }

  private val bits = 64

  /** Encodes the first `count` of `numbers`, which must not be negative. */
  def encode(numbers: Array[Long], count: Int): Encoded =
    if (count == 0) Encoded(constant(None), None)
    else {
      val step = if (count > 1) numbers(1) - numbers(0) else 0L
      if (isProgression(numbers, count, step))
        if (step == 0) Encoded(constant(Some(word(numbers(0)))), None)
        else Encoded(range(bits, numbers(0), step), None)
      else {
        val plain = stored(numbers, count)
        distances(numbers, count) match {
          case Some(d) =>
            val inner = stored(d, count - 1)
            val delta =
              Encoded(SequenceEncoder.delta(bits, numbers(0), inner.encoding), inner.payload)
            if (delta.numBytes < plain.numBytes) delta else plain
          case None => plain
        }
      }
    }

  private def isProgression(numbers: Array[Long], count: Int, step: Long): Boolean = {
    if (step < 0) false
    else {
      var i = 1
      while (i < count && numbers(i) - numbers(i - 1) == step) i += 1
      i == count
    }
  }

  private def distances(numbers: Array[Long], count: Int): Option[Array[Long]] = {
    val out = new Array[Long](count - 1)
    var falls = 0L
    var i = 1
    while (i < count) {
      out(i - 1) = numbers(i) - numbers(i - 1)
      falls |= out(i - 1)
      i += 1
    }
    if (falls < 0) None else Some(out)
  }

  private def stored(numbers: Array[Long], count: Int): Encoded = {
    var any = 0L
    var i = 0
    while (i < count) {
      any |= numbers(i)
      i += 1
    }
    val values = new LongValues
    values.extend(count): Unit
    System.arraycopy(numbers, 0, values.array, 0, count)
    val width = math.max(1, bits - java.lang.Long.numberOfLeadingZeros(any))
    val plainBytes = count * 8L
    val packed =
      if (width >= bits) null
      else OutOfLineBitpacking.encodeBlock(values, bits, width, 0, count)
    if (packed != null && packed.length < plainBytes)
      Encoded(OutOfLineBitpacking.message(bits, width), Some(packed))
    else Encoded(Messages.flat(bits), Some(Buffer(Flat.plainBytes(values, bits))))
  }

  private[compression] def constant(value: Option[Array[Byte]]): CompressiveEncoding = {
    val message = v2_1.Constant.newBuilder
    value.foreach(v => message.setValue(ByteString.copyFrom(v)))
    CompressiveEncoding.newBuilder.setConstant(message).build
  }

  private[compression] def range(bits: Int, start: Long, step: Long): CompressiveEncoding =
    CompressiveEncoding.newBuilder
      .setRange(
        v2_1.Range.newBuilder
          .setUncompressedBitsPerValue(bits.toLong)
          .setStart(start)
          .setStep(step)
      )
      .build

  private[compression] def delta(
      bits: Int,
      base: Long,
      deltas: CompressiveEncoding
  ): CompressiveEncoding =
    CompressiveEncoding.newBuilder
      .setDelta(
        v2_1.Delta.newBuilder
          .setUncompressedBitsPerValue(bits.toLong)
          .setBase(base)
          .setDeltas(deltas)
      )
      .build

  private def word(v: Long): Array[Byte] = {
    val bytes = new Array[Byte](8)
    Buffer.putLong(bytes, 0, v)
    bytes
  }
}
