// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.value

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.{
  BufferCompression,
  CompressiveEncoding,
  Flat => FlatMessage
}

/** Checks and short-hands that the encodings share when they read or write their messages. */
private[encoding] object Messages {

  /** The width of one value. `bitsPerValue` stands in the message of `name`; the column expects
    * `valueType`.
    *
    * @throws CorruptFileException when the two differ
    */
  def fixedWidth(name: String, bitsPerValue: Long, valueType: ValueType): Int = valueType match {
    case FixedWidth(bits) if bits == bitsPerValue => bits
    case _ => throw contradiction(
        s"$name of ${java.lang.Long.toUnsignedString(bitsPerValue)} bits a value",
        valueType
      )
  }

  /** As [[fixedWidth]], for the encodings of integers alone. */
  def integerWidth(name: String, bitsPerValue: Long, valueType: ValueType): Int = {
    val bits = fixedWidth(name, bitsPerValue, valueType)
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      throw new CorruptFileException(s"$name of $bits bits a value, 8, 16, 32 or 64 expected")
    bits
  }

  def contradiction(found: String, valueType: ValueType): CorruptFileException =
    new CorruptFileException(s"$found for a column of $valueType")

  /** No writer compresses inside a leaf message, and no reader takes it. */
  def refuseLeafCompression(name: String, present: Boolean): Unit =
    if (present) throw new UnsupportedFeatureException(s"$name with a BufferCompression of its own")

  /** The width that a child has to have as `Flat`. */
  def flatBits(name: String, child: CompressiveEncoding): Int = {
    if (child.getCompressionCase != CompressiveEncoding.CompressionCase.FLAT)
      throw new UnsupportedFeatureException(
        s"$name of ${child.getCompressionCase}, only FLAT is known"
      )
    refuseLeafCompression("Flat", child.getFlat.hasData)
    val bits = child.getFlat.getBitsPerValue
    CorruptFileException.check(
      bits >= 0 && bits <= Int.MaxValue,
      s"$name of Flat with ${java.lang.Long.toUnsignedString(bits)} bits a value"
    )
    bits.toInt
  }

  def flat(bitsPerValue: Int): CompressiveEncoding =
    CompressiveEncoding.newBuilder
      .setFlat(FlatMessage.newBuilder.setBitsPerValue(bitsPerValue.toLong))
      .build

  def general(
      compression: BufferCompression,
      child: CompressiveEncoding
  ): CompressiveEncoding = {
    val message = io.github.pysparklance.encoding.proto.v2_1.General.newBuilder
    CompressiveEncoding.newBuilder
      .setGeneral(message.setCompression(compression).setValues(child))
      .build
  }

  /** A buffer has to have exactly the bytes its values need. */
  def checkLength(name: String, numBytes: Int, numItems: Long, wanted: Long): Unit =
    if (numBytes != wanted)
      throw new CorruptFileException(
        s"$name of $numBytes bytes for $numItems values, $wanted bytes expected"
      )

  /** A slice of values has to lie in its chunk. */
  def checkSlice(numValues: Int, from: Int, count: Int): Unit =
    if (from < 0 || count < 0 || from + count.toLong > numValues)
      throw new CorruptFileException(
        s"values [$from, ${from.toLong + count}) wanted of a chunk of $numValues"
      )

  /** The length of an array of so many bytes, which the JVM may not have. */
  def arrayLength(numBytes: Long): Int = {
    if (numBytes > Values.maxArrayLength)
      throw new UnsupportedFeatureException(s"a page that needs an array of $numBytes bytes")
    numBytes.toInt
  }

  def checkNumBuffers(name: String, buffers: Array[Buffer], wanted: Int): Unit =
    if (buffers.length != wanted)
      throw new CorruptFileException(
        s"$name with ${buffers.length} buffers a chunk, $wanted expected"
      )
}
