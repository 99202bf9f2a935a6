// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.CompressionSample
import io.github.pysparklance.encoding.proto.v2_0.{ArrayEncoding, SimpleStruct}
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.v2_0._

/** Writes one column of values of a 2.0 file: collects values and encodes them as pages on
  * [[flush]]. Not thread-safe.
  *
  * A page is never longer than the reference's: columns with few distinct strings get a dictionary,
  * and other compression depends on the field's metadata. Source: format page of the encodings of
  * 2.0, "What the 2.0 writer picks".
  *
  * @param field owns the column
  * @throws UnsupportedFeatureException if 2.0 has no column for the type
  */
final class ArrayEncoder(field: Field) {
  private val valueType = ArrayEncoder.valueType(field)

  /** The requested compression of strings and binaries. For numbers, this version ignores the
    * request, known or not.
    */
  private val request = valueType match {
    case VariableWidth(_) => EncodingOptions.of(field).compression
    case _ => None
  }
  private val index = field.logicalType match {
    case LogicalType.Dictionary(_, index, _) => Some(index)
    case _ => None
  }
  private val gathered = new GatheredValues(field)

  /** Number of values since the last [[flush]]. */
  def numValues: Int = gathered.numValues

  /** Approximate bytes of these values in memory. */
  def bufferedBytes: Long = gathered.sizeInBytes

  /** Appends slots `[from, from + count)`. Their arrays can be reused afterwards.
    *
    * @throws InvalidRequestException if the column does not have the field's shape
    * @throws UnsupportedFeatureException for nulls that a 2.0 page cannot hold
    */
  def append(column: Column, from: Int, count: Int): Unit = {
    if (field.isPacked) ArrayEncoder.checkPacked(field, column, from, count)
    gathered.append(column, from, count)
  }

  /** Encodes all values since the last flush as a page. Returns `None` without values. The page
    * shares arrays that the next append overwrites.
    */
  def flush(): Option[EncodedPage] =
    if (gathered.numValues == 0) None
    else {
      val buffers = new PageBuffers
      val encoding = encode(buffers)
      val numValues = gathered.numValues
      gathered.clear()
      Some(ArrayEncoder.page(numValues.toLong, encoding, buffers))
    }

  private def encode(buffers: PageBuffers): ArrayEncoding = (gathered.values, valueType) match {
    case (v, t) if index.isDefined =>
      Dictionary.encodeTyped(
        v,
        gathered.validity,
        t,
        index.get,
        buffers
      )(nullable(_, _, t, buffers))
    case (v: BinaryValues, _) => binary(v, gathered.validity, buffers)
    case (v: PackedStructValues, PackedStructType(members)) =>
      PackedStruct.encode(v, members, buffers)
    case (v, t) => nullable(v, gathered.validity, t, buffers)
  }

  private def nullable(
      values: Values,
      validity: Validity,
      valueType: ValueType,
      buffers: PageBuffers
  ): ArrayEncoding = (values, valueType) match {
    case (v: BinaryValues, _) => plainBinary(v, validity, buffers)
    case (v: FixedSizeListValues, FixedSizeListType(dimension, itemType)) =>
      Nullable.encode(validity, buffers) {
        FixedSizeList.encode(dimension, nullable(v.items, v.itemValidity, itemType, buffers))
      }
    case (v, FixedWidth(bits)) => Nullable.encode(validity, buffers)(Flat.encode(v, bits, buffers))
    case (_, other) => throw new UnsupportedFeatureException(s"$other in a page of 2.0")
  }

  private def binary(
      values: BinaryValues,
      validity: Validity,
      buffers: PageBuffers
  ): ArrayEncoding = {
    val dictionary =
      if (field.logicalType != LogicalType.Utf8(large = false)) None
      else
        Dictionary.encodeStrings(values, validity, buffers)(plainBinary(_, null, buffers))
    dictionary.getOrElse(request match {
      case Some(CompressionRequest.Symbols) => symbols(values, validity, buffers)
      case Some(CompressionRequest.General(scheme)) =>
        Binary.encode(values, validity, buffers)(Compression.encode(_, scheme, buffers))
      case None if isWorthCompressing(values) =>
        Binary.encode(values, validity, buffers)(
          Compression.encode(_, ArrayEncoder.zstd, buffers)
        )
      case Some(CompressionRequest.Plain) | None => plainBinary(values, validity, buffers)
    })
  }

  /** A page is compressed in one piece, so reading one row decompresses all of it. This pays off
    * only for pages of few long values.
    */
  private def isWorthCompressing(values: BinaryValues): Boolean =
    values.numItems > 0 && values.numBytes / values.numItems >= ArrayEncoder.longBytes &&
      CompressionSample.share(values, ArrayEncoder.zstd) <= CompressionSample.worthwhileShare

  /** Compresses with FSST if that pays off. The reference does not use it for large strings and
    * binaries.
    */
  private def symbols(
      values: BinaryValues,
      validity: Validity,
      buffers: PageBuffers
  ): ArrayEncoding = {
    val shown = Binary.withoutHidden(values, validity)
    val coded = if (valueType == VariableWidth(32)) compression.Fsst.code(shown) else None
    coded.fold(plainBinary(shown, validity, buffers)) { c =>
      Fsst.encode(c.symbolTable, plainBinary(c.codes, validity, buffers))
    }
  }

  private def plainBinary(
      values: BinaryValues,
      validity: Validity,
      buffers: PageBuffers
  ): ArrayEncoding =
    Binary.encode(values, validity, buffers)(Flat.encodeBytes(_, None, buffers))
}

object ArrayEncoder {
  private val longBytes = 1 << 20
  private val zstd = GeneralScheme.Zstd(0)

  /** Returns the page of a struct's header column, which contains only the number of rows. */
  def structs(numRows: Long): EncodedPage = {
    val encoding = ArrayEncoding.newBuilder().setStruct(SimpleStruct.getDefaultInstance).build()
    page(numRows, encoding, new PageBuffers)
  }

  /** Returns a page of lists. Their items are in separate columns.
    *
    * @param ends the end of each list relative to the first item of the page; ascending
    * @param validity null if all lists are valid
    */
  def lists(ends: LongValues, validity: Validity): EncodedPage = {
    val buffers = new PageBuffers
    page(ends.numItems.toLong, v2_0.List.encode(ends, validity, buffers), buffers)
  }

  private def page(numRows: Long, encoding: ArrayEncoding, buffers: PageBuffers): EncodedPage =
    EncodedPage(numRows, ArrayEncodings.ArrayEncodingUrl, encoding.toByteArray, buffers.result)

  /** Returns the type of a field's values. Throws if a 2.0 page cannot hold them. */
  private def valueType(field: Field): ValueType = {
    val whole = field.valueType
    whole match {
      case PackedStructType(members) =>
        field.children.zip(members).foreach { case (child, member) =>
          if (PackedStruct.bytesOf(member) == 0)
            throw new UnsupportedFeatureException(
              s"the packed member '${child.name}' of type ${LogicalType.text(child.logicalType)} in " +
                s"'${field.name}' in a data file of version 2.0"
            )
        }
      case FixedSizeListType(_, item) if !isFlat(item) =>
        throw new UnsupportedFeatureException(
          s"column '${field.name}' of type ${LogicalType.text(field.logicalType)} in a data file of version 2.0"
        )
      case _ => ()
    }
    whole
  }

  private def isFlat(item: ValueType): Boolean = item match {
    case FixedWidth(_) => true
    case FixedSizeListType(_, inner) => isFlat(inner)
    case _ => false
  }

  /** Rejects nulls in a packed struct, which cannot store them. */
  private def checkPacked(field: Field, column: Column, from: Int, count: Int): Unit = {
    def hasNulls(c: Column, from: Int, count: Int): Boolean =
      (c.hasNulls && (from until from + count).exists(c.isNull)) || (c match {
        case list: FixedSizeListColumn =>
          hasNulls(list.items, from * list.dimension, count * list.dimension)
        case LeafColumn(lists: FixedSizeListValues, _) =>
          val items = LeafColumn(lists.items, lists.itemValidity)
          hasNulls(items, from * lists.dimension, count * lists.dimension)
        case struct: StructColumn => struct.children.exists(hasNulls(_, from, count))
        case _ => false
      })
    if (hasNulls(column, from, count))
      throw new UnsupportedFeatureException(
        s"a null in the packed struct '${field.name}' in a data file of version 2.0"
      )
  }
}
