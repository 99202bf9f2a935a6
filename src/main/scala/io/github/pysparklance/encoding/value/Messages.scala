// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.value

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.{
  BufferCompression,
  CompressiveEncoding,
  Flat => FlatMessage
}

/** Shared checks and builders for the messages of encodings. */
private[encoding] object Messages {

  /** Returns the width of one value in bits.
    *
    * @param name name of the message that contains `bitsPerValue`
    * @param valueType expected by the column
    * @throws CorruptFileException if the two differ
    */
  def fixedWidth(name: String, bitsPerValue: Long, valueType: ValueType): Int = valueType match {
    case FixedWidth(bits) if bits == bitsPerValue => bits
    case _ => throw contradiction(
        s"$name of ${java.lang.Long.toUnsignedString(bitsPerValue)} bits per value",
        valueType
      )
  }

  /** Like [[fixedWidth]], for encodings that support only integers. */
  def integerWidth(name: String, bitsPerValue: Long, valueType: ValueType): Int = {
    val bits = fixedWidth(name, bitsPerValue, valueType)
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      throw new CorruptFileException(s"$name of $bits bits per value, expected 8, 16, 32, or 64")
    bits
  }

  def contradiction(found: String, valueType: ValueType): CorruptFileException =
    new CorruptFileException(s"$found for a column of $valueType")

  /** Rejects a compression inside a leaf message, which no writer produces and no reader supports.
    */
  def rejectLeafCompression(name: String, present: Boolean): Unit =
    if (present) throw new UnsupportedFeatureException(s"$name with its own BufferCompression")

  /** Returns the width of a child that must be `Flat`. */
  def flatBits(name: String, child: CompressiveEncoding): Int = {
    if (child.getCompressionCase != CompressiveEncoding.CompressionCase.FLAT)
      throw new UnsupportedFeatureException(
        s"$name of ${child.getCompressionCase}, only FLAT is supported"
      )
    rejectLeafCompression("Flat", child.getFlat.hasData)
    val bits = child.getFlat.getBitsPerValue
    CorruptFileException.check(
      bits >= 0 && bits <= Int.MaxValue,
      s"$name of Flat with ${java.lang.Long.toUnsignedString(bits)} bits per value"
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

  /** Checks that a buffer has exactly the bytes that its values need. */
  def checkLength(name: String, numBytes: Int, numItems: Long, wanted: Long): Unit =
    if (numBytes != wanted)
      throw new CorruptFileException(
        s"$name of $numBytes bytes for $numItems values, expected $wanted bytes"
      )

  /** Checks that a slice of values lies in its chunk. */
  def checkSlice(numValues: Int, from: Int, count: Int): Unit =
    if (from < 0 || count < 0 || from + count.toLong > numValues)
      throw new CorruptFileException(
        s"values [$from, ${from.toLong + count}) exceed a chunk of $numValues values"
      )

  /** Returns the length of an array of `numBytes` bytes, or throws if the JVM does not support it.
    */
  def arrayLength(numBytes: Long): Int = {
    if (numBytes > Values.maxArrayLength)
      throw new UnsupportedFeatureException(s"a page that needs an array of $numBytes bytes")
    numBytes.toInt
  }

  def checkNumBuffers(name: String, buffers: Array[Buffer], wanted: Int): Unit =
    if (buffers.length != wanted)
      throw new CorruptFileException(
        s"$name with ${buffers.length} buffers per chunk, expected $wanted"
      )
}
