// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** Functions shared by the decoders of encoding trees. */
private[encoding] object Trees {

  def contradiction(found: String, valueType: ValueType): CorruptFileException =
    new CorruptFileException(s"$found for a column of $valueType")

  /** Removes wrappers that declare that no value is null. */
  def withoutNoNulls(encoding: pb.ArrayEncoding): pb.ArrayEncoding =
    if (encoding.hasNullable && encoding.getNullable.hasNoNulls)
      withoutNoNulls(encoding.getNullable.getNoNulls.getValues)
    else encoding

  /** Returns the encoding's name in the format. Unknown encodings are named by their tags. */
  def name(encoding: pb.ArrayEncoding): String =
    if (encoding.getArrayEncodingCase != pb.ArrayEncoding.ArrayEncodingCase.ARRAYENCODING_NOT_SET)
      encoding.getArrayEncodingCase.name.toLowerCase
    else {
      val tags = encoding.getUnknownFields.asMap.keySet
      if (tags.isEmpty) "no encoding" else s"encoding $tags of unstable releases"
    }

  /** Returns the declared width of the integers that an encoding decodes to. */
  def integerBits(encoding: pb.ArrayEncoding): Int = {
    val plain = withoutNoNulls(encoding)
    import pb.ArrayEncoding.ArrayEncodingCase._
    val bits = plain.getArrayEncodingCase match {
      case FLAT => plain.getFlat.getBitsPerValue
      case BITPACKED => plain.getBitpacked.getUncompressedBitsPerValue
      case BITPACKED_FOR_NON_NEG => plain.getBitpackedForNonNeg.getUncompressedBitsPerValue
      case _ => throw new UnsupportedFeatureException(s"integers as ${name(plain)}")
    }
    CorruptFileException.check(
      bits == 8 || bits == 16 || bits == 32 || bits == 64,
      s"integers of $bits bits"
    )
    bits.toInt
  }

  /** Returns `numValues * factor`.
    *
    * @throws CorruptFileException if it overflows
    */
  def times(numValues: Long, factor: Long): Long = {
    CorruptFileException.check(
      numValues >= 0 && factor >= 0 && Math.multiplyHigh(
        numValues,
        factor
      ) == 0 && numValues * factor >= 0,
      s"$numValues values of $factor items each"
    )
    numValues * factor
  }

  /** Decodes values `[0, numValues)` of an opened node from complete buffers. */
  def decodeWhole(
      node: ArrayDecoder,
      numValues: Int,
      buffers: Array[Buffer],
      out: NullableValues
  ): Unit = {
    val read = node.read(RowRange(0, numValues.toLong))
    supplyAll(read, buffers)
    read.decode(numValues, out)
  }

  /** Supplies everything that a read needs from complete buffers. */
  def supplyAll(read: ArrayRead, buffers: Array[Buffer]): Unit = {
    var needs = read.needs
    while (needs.nonEmpty) {
      read.supply(needs.map(r => buffers(r.buffer).slice(r.offset, r.length)))
      needs = read.needs
    }
  }
}

/** A read that passes all bytes to one child. */
abstract private[v2_0] class OneChildRead(child: ArrayRead) extends ArrayRead {
  def needs: IndexedSeq[PageRange] = child.needs
  def isLast: Boolean = child.isLast
  def supply(bytes: IndexedSeq[Buffer]): Unit = child.supply(bytes)
}

/** A decoder whose only buffers belong to its child. */
abstract private[v2_0] class OneChildDecoder(child: ArrayDecoder) extends ArrayDecoder {
  def buffers: IndexedSeq[Int] = child.buffers
  override def head: IndexedSeq[Int] = child.head
  override def open(buffers: Array[Buffer]): Unit = child.open(buffers)
}
