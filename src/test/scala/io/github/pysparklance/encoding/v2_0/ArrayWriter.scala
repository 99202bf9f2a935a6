// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import scala.collection.mutable
import scala.util.Random

import com.github.luben.zstd.Zstd
import com.google.protobuf.{Any => ProtobufAny, ByteString}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.ArrayEncodings
import io.github.pysparklance.encoding.compression.CompressedBuffers
import io.github.pysparklance.encoding.compression.bitpacking.BitpackingKernel
import io.github.pysparklance.encoding.compression.fsst.SymbolTable
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.value.RawValues

/** A page of version 2.0 for a test. */
final case class ArrayPage(
    numValues: Long,
    encoding: pb.ArrayEncoding,
    buffers: IndexedSeq[Array[Byte]]
) {
  def wrapped: Array[Byte] = ProtobufAny.newBuilder
    .setTypeUrl(ArrayEncodings.ArrayEncodingUrl)
    .setValue(encoding.toByteString)
    .build
    .toByteArray
}

/** Writes pages of version 2.0 in every encoding that is suitable for the values, chosen at random.
  * Includes encodings that no release writes but readers accept.
  */
final class ArrayWriter(random: Random) {
  private val buffers = mutable.ArrayBuffer.empty[Array[Byte]]

  /** Returns a page of values `[from, from + count)`.
    *
    * @param isDictionary whether the column's type is an Arrow dictionary
    */
  def values(
      values: Values,
      validity: Validity,
      from: Int,
      count: Int,
      valueType: ValueType,
      isDictionary: Boolean
  ): ArrayPage = {
    buffers.clear()
    val encoding = node(values, validity, from, count, valueType, isDictionary)
    ArrayPage(count.toLong, encoding, buffers.toIndexedSeq)
  }

  /** Returns a page of lists `[from, from + count)`. */
  def lists(offsets: Array[Int], validity: Validity, from: Int, count: Int): ArrayPage = {
    buffers.clear()
    val numItems = offsets(from + count) - offsets(from)
    val ends = new LongValues
    (from until from + count).foreach { i =>
      val end = (offsets(i + 1) - offsets(from)).toLong
      ends.append(if (isValid(validity, i)) end else end + numItems + 1)
    }
    val list = pb.List.newBuilder
      .setOffsets(noNulls(flat(ends, 64, 0, count)))
      .setNullOffsetAdjustment(numItems + 1L)
      .setNumItems(numItems.toLong)
    ArrayPage(count.toLong, pb.ArrayEncoding.newBuilder.setList(list).build, buffers.toIndexedSeq)
  }

  private def isValid(validity: Validity, i: Int): Boolean = validity == null || validity.isValid(i)

  private def node(
      values: Values,
      validity: Validity,
      from: Int,
      count: Int,
      valueType: ValueType,
      isDictionary: Boolean
  ): pb.ArrayEncoding = {
    val numNulls = (from until from + count).count(!isValid(validity, _))
    val builder = pb.ArrayEncoding.newBuilder
    def all = nullable(_.setAllNulls(pb.Nullable.AllNull.getDefaultInstance))
    valueType match {
      case _ if numNulls == count && count > 0 && random.nextBoolean() => all
      case VariableWidth(_) if isDictionary =>
        arrowDictionary(values, validity, from, count, valueType)
      case VariableWidth(_) =>
        val bytes = values.asInstanceOf[BinaryValues]
        random.nextInt(5) match {
          case 0 => stringDictionary(bytes, validity, from, count)
          case 1 => fsst(bytes, validity, from, count)
          case 2 if lengths(bytes, from, count).size == 1 =>
            within(validity, from, count, numNulls)(fixedSizeBinary(bytes, from, count))
          case 3 if numNulls > 0 =>
            // Some nulls are marked by the bitmap, others by the strings themselves.
            val halves = Seq.fill(2)(new Validity)
            (0 until from + count).foreach { i =>
              val told = random.nextInt(2)
              halves(told).append(isValid(validity, i))
              halves(1 - told).append(true)
            }
            within(halves(0), from, count, 1)(binary(bytes, halves(1), from, count))
          case _ => binary(bytes, validity, from, count)
        }
      case _ if isDictionary => arrowDictionary(values, validity, from, count, valueType)
      case PackedStructType(children) =>
        packedStruct(values.asInstanceOf[PackedStructValues], children, from, count)
      case FixedSizeListType(dimension, items) =>
        within(validity, from, count, numNulls) {
          val lists = values.asInstanceOf[FixedSizeListValues]
          builder
            .setFixedSizeList(pb.FixedSizeList.newBuilder.setDimension(dimension).setItems(
              node(
                lists.items,
                lists.itemValidity,
                from * dimension,
                count * dimension,
                items,
                false
              )
            ))
            .build
        }
      case FixedWidth(bits) =>
        within(validity, from, count, numNulls)(fixed(values, bits, from, count))
    }
  }

  private def nullable(set: pb.Nullable.Builder => pb.Nullable.Builder): pb.ArrayEncoding =
    pb.ArrayEncoding.newBuilder.setNullable(set(pb.Nullable.newBuilder)).build

  private def noNulls(values: pb.ArrayEncoding): pb.ArrayEncoding =
    if (random.nextInt(4) == 0) values
    else nullable(_.setNoNulls(pb.Nullable.NoNull.newBuilder.setValues(values)))

  /** Wraps values with a bitmap if some are null. */
  private def within(validity: Validity, from: Int, count: Int, numNulls: Int)(
      values: => pb.ArrayEncoding
  ): pb.ArrayEncoding =
    if (numNulls == 0) noNulls(values)
    else {
      val bits = new ByteValues
      (from until from + count).foreach(i => bits.append(if (isValid(validity, i)) 1 else 0))
      val bitmap = flat(bits, 1, 0, count)
      val some = pb.Nullable.SomeNull.newBuilder.setValidity(bitmap).setValues(values)
      nullable(_.setSomeNulls(some))
    }

  private def add(bytes: Array[Byte]): pb.Buffer = {
    buffers += bytes
    pb.Buffer.newBuilder.setBufferIndex(buffers.length - 1).build
  }

  private def raw(values: Values, bits: Int, from: Int, count: Int): Array[Byte] = {
    val bytes = new Array[Byte](RawValues.numBytes(count.toLong, bits).toInt)
    RawValues.copy(values, bits, from, count, bytes, 0)
    bytes
  }

  private def flat(values: Values, bits: Int, from: Int, count: Int): pb.ArrayEncoding =
    flat(raw(values, bits, from, count), bits)

  private def flat(bytes: Array[Byte], bits: Int): pb.ArrayEncoding = {
    val message = pb.Flat.newBuilder.setBitsPerValue(bits.toLong)
    val (scheme, stored) =
      if (bits == 1) (if (random.nextBoolean()) "zstd" else "", bytes) // the scheme is ignored
      else
        random.nextInt(8) match {
          case 0 => ("zstd", CompressedBuffers.compressZstd(Buffer(bytes), 3).toBytes)
          case 1 => ("zstd", Zstd.compress(bytes))
          case 2 => ("lz4", CompressedBuffers.compressLz4(Buffer(bytes)).toBytes)
          case 3 => ("none", bytes)
          case _ => ("", bytes)
        }
    if (scheme.nonEmpty) message.setCompression(pb.Compression.newBuilder.setScheme(scheme))
    message.setBuffer(add(stored))
    pb.ArrayEncoding.newBuilder.setFlat(message).build
  }

  private def fixed(values: Values, bits: Int, from: Int, count: Int): pb.ArrayEncoding = {
    val isInteger = bits == 8 || bits == 16 || bits == 32 || bits == 64
    random.nextInt(4) match {
      case 0 if isInteger => bitpacked(longs(values, from, count), bits)
      case 1 if isInteger => bitpackedForNonNeg(values, bits, from, count)
      case _ => flat(values, bits, from, count)
    }
  }

  private def longs(values: Values, from: Int, count: Int): Array[Long] =
    Array.tabulate(count) { i =>
      values match {
        case v: ByteValues => v.array(from + i).toLong
        case v: ShortValues => v.array(from + i).toLong
        case v: IntValues => v.array(from + i).toLong
        case v: LongValues => v.array(from + i)
        case other => throw new IllegalArgumentException(other.toString)
      }
    }

  private def bitpacked(values: Array[Long], bits: Int): pb.ArrayEncoding = {
    val isSigned = values.exists(_ < 0) || random.nextBoolean()
    val widest = values.iterator.map { v =>
      64 - java.lang.Long.numberOfLeadingZeros(if (v < 0) ~v else v) + (if (isSigned) 1 else 0)
    }.reduceOption(_ max _).getOrElse(1)
    val width = math.min(bits, math.max(1, widest))
    val bytes = new Array[Byte]((values.length * width + 7) / 8)
    values.indices.foreach { i =>
      (0 until width).foreach { b =>
        val at = i * width + b
        if (((values(i) >>> b) & 1) != 0) bytes(at / 8) = (bytes(at / 8) | (1 << (at % 8))).toByte
      }
    }
    pb.ArrayEncoding.newBuilder
      .setBitpacked(pb.Bitpacked.newBuilder.setCompressedBitsPerValue(width.toLong)
        .setUncompressedBitsPerValue(bits.toLong).setSigned(isSigned).setBuffer(add(bytes)))
      .build
  }

  private def bitpackedForNonNeg(
      values: Values,
      bits: Int,
      from: Int,
      count: Int
  ): pb.ArrayEncoding = {
    val width = BitpackingKernel.bitWidth(values, from, count)
    val blocks = (count + 1023) / 1024
    val bytes = new Array[Byte](blocks * 128 * width)
    (0 until blocks).foreach { b =>
      val plain = new Array[Byte](128 * bits)
      RawValues.copy(values, bits, from + b * 1024, math.min(1024, count - b * 1024), plain, 0)
      BitpackingKernel.pack(bits, width, plain, 0, bytes, b * 128 * width)
    }
    pb.ArrayEncoding.newBuilder
      .setBitpackedForNonNeg(pb.BitpackedForNonNeg.newBuilder
        .setCompressedBitsPerValue(width.toLong)
        .setUncompressedBitsPerValue(bits.toLong).setBuffer(add(bytes)))
      .build
  }

  private def binary(
      values: BinaryValues,
      validity: Validity,
      from: Int,
      count: Int
  ): pb.ArrayEncoding = {
    val out = new java.io.ByteArrayOutputStream
    val ends = (from until from + count).map { i =>
      if (isValid(validity, i))
        out.write(values.bytes, values.offsets(i), values.offsets(i + 1) - values.offsets(i))
      (out.size.toLong, isValid(validity, i))
    }
    val adjustment = out.size + 1L
    val indices = new LongValues
    ends.foreach { case (end, valid) => indices.append(if (valid) end else end + adjustment) }
    val message = pb.Binary.newBuilder
      .setIndices(noNulls(flat(indices, 64, 0, count)))
      .setBytes(noNulls(flat(out.toByteArray, 8)))
      .setNullAdjustment(adjustment)
    pb.ArrayEncoding.newBuilder.setBinary(message).build
  }

  /** Every byte below 100 and some pairs have a code of their own; other bytes take two codes. */
  private def fsst(
      values: BinaryValues,
      validity: Validity,
      from: Int,
      count: Int
  ): pb.ArrayEncoding = {
    val isOn = random.nextInt(4) != 0
    val n = 100
    val symbols = Array.tabulate(n)(_.toLong)
    val lengths = Array.fill(n)(1)
    symbols(7) = 0x0807
    lengths(7) = 2
    val table = SymbolTable.serialize(symbols, lengths, n, 0)
    val codes = new BinaryValues
    codes.appendFiller(from)
    (from until from + count).foreach { i =>
      val in = values.bytes.slice(values.offsets(i), values.offsets(i + 1))
      val out = new java.io.ByteArrayOutputStream
      var at = 0
      while (at < in.length) {
        val b = in(at)
        if (b == 7 && at + 1 < in.length && in(at + 1) == 8) { out.write(7); at += 1 }
        else if (b >= 0 && b < n && b != 7) out.write(b.toInt)
        else { out.write(255); out.write(b.toInt) }
        at += 1
      }
      codes.append(out.toByteArray, 0, out.size)
    }
    if (!isOn) table(3) = 0
    val message = pb.Fsst.newBuilder
      .setBinary(binary(if (isOn) codes else values, validity, from, count))
      .setSymbolTable(ByteString.copyFrom(table))
    pb.ArrayEncoding.newBuilder.setFsst(message).build
  }

  private def lengths(values: BinaryValues, from: Int, count: Int): Set[Int] =
    (from until from + count).map(i => values.offsets(i + 1) - values.offsets(i)).toSet

  private def fixedSizeBinary(values: BinaryValues, from: Int, count: Int): pb.ArrayEncoding = {
    val bytes = values.bytes.slice(values.offsets(from), values.offsets(from + count))
    val message = pb.FixedSizeBinary.newBuilder
      .setBytes(noNulls(flat(bytes, 8)))
      .setByteWidth(bytes.length / count)
    pb.ArrayEncoding.newBuilder.setFixedSizeBinary(message).build
  }

  private def stringDictionary(
      values: BinaryValues,
      validity: Validity,
      from: Int,
      count: Int
  ): pb.ArrayEncoding = {
    val (items, positions) = distinct(values, validity, from, count, VariableWidth(32))
    if (items.numItems > 254) binary(values, validity, from, count)
    else if (items.numItems == 0) {
      items.appendFiller(1)
      val nothing = new Validity
      nothing.append(valid = false)
      dictionary(
        Array.fill(count)(0),
        8,
        binary(items.asInstanceOf[BinaryValues], nothing, 0, 1),
        1
      )
    } else {
      val indices = positions.map(_ + 1)
      val bits = if (random.nextInt(3) == 0) 32 else 8
      dictionary(
        indices,
        bits,
        binary(items.asInstanceOf[BinaryValues], null, 0, items.numItems),
        items.numItems
      )
    }
  }

  private def arrowDictionary(
      values: Values,
      validity: Validity,
      from: Int,
      count: Int,
      valueType: ValueType
  ): pb.ArrayEncoding = {
    val (items, positions) = distinct(values, validity, from, count, valueType)
    val itemValidity = Validity.allValid(items.numItems)
    if (positions.contains(-1)) {
      items.appendFiller(1)
      itemValidity.append(valid = false)
    }
    val indices = positions.map(p => if (p < 0) items.numItems - 1 else p)
    val bits = if (items.numItems < 256) 8 else if (items.numItems < 65536) 16 else 32
    val encoded =
      node(items, itemValidity, 0, items.numItems, valueType, isDictionary = false) match {
        // Strings in a dictionary never use a dictionary themselves.
        case e if e.hasDictionary =>
          binary(items.asInstanceOf[BinaryValues], itemValidity, 0, items.numItems)
        case e => e
      }
    dictionary(indices, bits, encoded, items.numItems)
  }

  private def dictionary(
      indices: Array[Int],
      bits: Int,
      items: pb.ArrayEncoding,
      numItems: Int
  ): pb.ArrayEncoding = {
    val bytes = new Array[Byte](indices.length * bits / 8)
    indices.indices.foreach { i =>
      (0 until bits / 8).foreach(k => bytes(i * bits / 8 + k) = (indices(i) >>> (8 * k)).toByte)
    }
    val message = pb.Dictionary.newBuilder
      .setIndices(noNulls(flat(bytes, bits)))
      .setItems(items)
      .setNumDictionaryItems(numItems)
    pb.ArrayEncoding.newBuilder.setDictionary(message).build
  }

  /** Returns the distinct values, and for each slot its position among them, -1 for null. */
  private def distinct(
      values: Values,
      validity: Validity,
      from: Int,
      count: Int,
      valueType: ValueType
  ): (Values, Array[Int]) = {
    val items = Values.allocate(valueType)
    val known = mutable.Map.empty[Any, Int]
    val all = io.github.pysparklance.testkit.ValuesGenerators.contents(values)
    val positions = (from until from + count).map { i =>
      if (!isValid(validity, i)) -1
      else known.getOrElseUpdate(all(i), { items.appendFrom(values, i, 1); items.numItems - 1 })
    }
    (items, positions.toArray)
  }

  private def packedStruct(
      values: PackedStructValues,
      children: IndexedSeq[ValueType],
      from: Int,
      count: Int
  ): pb.ArrayEncoding = {
    def leaf(v: Values, t: ValueType, per: Int): (Values, Int, Int) = (v, t) match {
      case (l: FixedSizeListValues, FixedSizeListType(n, items)) => leaf(l.items, items, per * n)
      case (_, FixedWidth(bits)) => (v, bits, per)
      case other => throw new IllegalArgumentException(other.toString)
    }
    def inner(t: ValueType): pb.ArrayEncoding = t match {
      case FixedSizeListType(n, items) =>
        val list = pb.FixedSizeList.newBuilder.setDimension(n).setItems(inner(items))
        pb.ArrayEncoding.newBuilder.setFixedSizeList(list).build
      case FixedWidth(bits) =>
        val flat =
          pb.Flat.newBuilder.setBitsPerValue(bits.toLong).setBuffer(pb.Buffer.getDefaultInstance)
        nullable(_.setNoNulls(pb.Nullable.NoNull.newBuilder.setValues(
          pb.ArrayEncoding.newBuilder.setFlat(flat)
        )))
      case other => throw new IllegalArgumentException(other.toString)
    }
    val members = children.indices.map(i => leaf(values.children(i), children(i), 1))
    val out = new java.io.ByteArrayOutputStream
    (from until from + count).foreach { row =>
      members.foreach { case (v, bits, per) => out.writeBytes(raw(v, bits, row * per, per)) }
    }
    val message = pb.PackedStruct.newBuilder.setBuffer(add(out.toByteArray))
    children.foreach(c => message.addInner(inner(c)))
    pb.ArrayEncoding.newBuilder.setPackedStruct(message).build
  }
}
