// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding.CompressionCase
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.{Messages, RawValues}

/** Fixed-size lists of primitives, one list per value. Nested lists are described outermost first.
  * Source: message `FixedSizeList`, format page of the compressive encodings, "FixedSizeList".
  *
  * {{{
  *   mini-block   one buffer for each layer with validity: a bit for each of its items in the chunk | the items
  *     [[1,null,3],[4,5,null]] i16:   1d | 0100 0000 0300 0400 0500 0000
  *   per value    for each list: bitmaps, each padded to whole bytes with undefined bits | the items
  *     05 0100 0000 0300 | 03 0400 0500 0000
  * }}}
  * Bits are lowest first, 1 = valid. The levels contain the validity of the lists themselves. Items
  * are `Flat`, or `Constant` without value if all are null. Since 2.1. Hot code: imperative.
  */
object FixedSizeList {

  /** One level of nested lists.
    *
    * @param cumulative items of this level in one outermost list
    */
  final private case class Layer(dimension: Int, cumulative: Int, hasValidity: Boolean)

  /** The shape of a list type.
    *
    * @param bits bits of an item; 0 if every item is null and none is stored
    */
  final private case class Shape(layers: IndexedSeq[Layer], bits: Int) {
    val itemsPerValue: Int = layers.last.cumulative

    /** Bits of one value. Boolean items are padded to bytes per value, not per item. */
    def valueBits: Long = itemsPerValue.toLong * bits
  }

  def miniBlock(message: v2_1.FixedSizeList, valueType: ValueType): MiniBlockDecoder =
    new MiniBlock(shape(message, valueType))

  def fixedPerValue(message: v2_1.FixedSizeList, valueType: ValueType): FixedPerValueDecoder =
    new PerValue(shape(message, valueType))

  def block(message: v2_1.FixedSizeList, valueType: ValueType): BlockDecoder = {
    val decoder = new PerValue(shape(message, valueType))
    (block: Buffer, numValues: Int, out: Values) => {
      val wanted = numValues.toLong * decoder.bytesPerValue
      Messages.checkLength("FixedSizeList", block.length, numValues.toLong, wanted)
      decoder.decode(block, numValues, out)
    }
  }

  private def shape(message: v2_1.FixedSizeList, valueType: ValueType): Shape = {
    val layers = IndexedSeq.newBuilder[Layer]
    var cumulative = 1L
    def descend(message: v2_1.FixedSizeList, valueType: ValueType): Shape = valueType match {
      case FixedSizeListType(dimension, items)
          if dimension == message.getItemsPerValue && dimension > 0 =>
        cumulative *= dimension
        CorruptFileException.check(
          cumulative <= Int.MaxValue / 64,
          s"FixedSizeList of $cumulative items"
        )
        layers += Layer(dimension, cumulative.toInt, message.getHasValidity)
        val child = message.getValues
        child.getCompressionCase match {
          case CompressionCase.FIXED_SIZE_LIST => descend(child.getFixedSizeList, items)
          case CompressionCase.CONSTANT if !child.getConstant.hasValue && message.getHasValidity =>
            Shape(layers.result(), 0)
          case _ =>
            val bits = Messages.flatBits("FixedSizeList", child)
            Messages.fixedWidth("FixedSizeList of Flat", bits.toLong, items): Unit
            Shape(layers.result(), bits)
        }
      case other =>
        throw Messages.contradiction(
          s"FixedSizeList of ${message.getItemsPerValue} items per value",
          other
        )
    }
    descend(message, valueType)
  }

  final private class MiniBlock(shape: Shape) extends MiniBlockDecoder {
    val numBuffers: Int = 1 + shape.layers.count(_.hasValidity)

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("FixedSizeList", buffers, numBuffers)
      Messages.checkSlice(numValues, from, count)
      CorruptFileException.check(
        numValues.toLong * shape.itemsPerValue <= Int.MaxValue,
        s"FixedSizeList of ${shape.itemsPerValue} items with $numValues values per chunk"
      )
      val itemBuffer = buffers(numBuffers - 1)
      val numItems = numValues.toLong * shape.itemsPerValue
      val itemBytes = if (shape.bits == 0) 0L else RawValues.numBytes(numItems, shape.bits)
      Messages.checkLength("FixedSizeList", itemBuffer.length, numValues.toLong, itemBytes)
      checkBitmaps(buffers, numValues)
      appendLayer(buffers, 0, 0, from, count, out.asInstanceOf[FixedSizeListValues])
    }

    private def checkBitmaps(buffers: Array[Buffer], numValues: Int): Unit = {
      val layers = shape.layers.filter(_.hasValidity)
      layers.indices.foreach { i =>
        val wanted = RawValues.numBytes(numValues.toLong * layers(i).cumulative, 1)
        Messages.checkLength("FixedSizeList validity", buffers(i).length, numValues.toLong, wanted)
      }
    }

    private def appendLayer(
        buffers: Array[Buffer],
        depth: Int,
        buffer: Int,
        from: Int,
        count: Int,
        out: FixedSizeListValues
    ): Unit = {
      val layer = shape.layers(depth)
      val firstItem = from * layer.cumulative
      val numItems = count * layer.cumulative
      if (layer.hasValidity)
        out.ensureItemValidity().appendBitmap(buffers(buffer), firstItem.toLong, numItems)
      else if (out.itemValidity != null) out.itemValidity.appendValid(numItems)
      val next = if (layer.hasValidity) buffer + 1 else buffer
      if (depth + 1 < shape.layers.length)
        appendLayer(
          buffers,
          depth + 1,
          next,
          from,
          count,
          out.items.asInstanceOf[FixedSizeListValues]
        )
      else if (shape.bits == 0) out.items.appendFiller(numItems)
      else {
        val items = buffers(next)
        RawValues.append(items.array, items.offset, shape.bits, firstItem, numItems, out.items)
      }
      out.extend(numItems / layer.dimension)
    }
  }

  final private class PerValue(shape: Shape) extends FixedPerValueDecoder {
    private val bitmapBytes =
      shape.layers.filter(_.hasValidity).map(l => (l.cumulative + 7) / 8).sum
    private val hasBitmaps = bitmapBytes > 0

    val bytesPerValue: Int = bitmapBytes + ((shape.valueBits + 7) / 8).toInt

    def decode(bytes: Buffer, count: Int, out: Values): Unit = {
      CorruptFileException.check(
        count.toLong * bytesPerValue <= bytes.length,
        s"${bytes.length} bytes for $count values of $bytesPerValue bytes"
      )
      CorruptFileException.check(
        count.toLong * shape.itemsPerValue <= Int.MaxValue,
        s"FixedSizeList of ${shape.itemsPerValue} items with $count values"
      )
      val values = out.asInstanceOf[FixedSizeListValues]
      values.reserve(count)
      // without bitmaps and partial bytes, the items of all values are contiguous
      if (!hasBitmaps && shape.valueBits % 8 == 0)
        appendItems(bytes, bytes.offset, 0, count, values)
      else {
        var i = 0
        while (i < count) {
          appendValue(bytes, i * bytesPerValue, 0, values)
          i += 1
        }
      }
    }

    /** Appends the items of `count` values from array index `at` on, all valid. */
    private def appendItems(
        bytes: Buffer,
        at: Int,
        depth: Int,
        count: Int,
        out: FixedSizeListValues
    ): Unit = {
      val layer = shape.layers(depth)
      val numItems = count * layer.cumulative
      if (out.itemValidity != null) out.itemValidity.appendValid(numItems)
      if (depth + 1 < shape.layers.length)
        appendItems(bytes, at, depth + 1, count, out.items.asInstanceOf[FixedSizeListValues])
      else RawValues.append(bytes.array, at, shape.bits, 0, numItems, out.items)
      out.extend(numItems / layer.dimension)
    }

    private def appendValue(bytes: Buffer, at: Int, depth: Int, out: FixedSizeListValues): Unit = {
      val layer = shape.layers(depth)
      val bitmap = if (layer.hasValidity) (layer.cumulative + 7) / 8 else 0
      if (layer.hasValidity) out.ensureItemValidity().appendBitmap(bytes, at * 8L, layer.cumulative)
      else if (out.itemValidity != null) out.itemValidity.appendValid(layer.cumulative)
      if (depth + 1 < shape.layers.length)
        appendValue(bytes, at + bitmap, depth + 1, out.items.asInstanceOf[FixedSizeListValues])
      else if (shape.bits == 0) out.items.appendFiller(layer.cumulative)
      else RawValues.append(
        bytes.array,
        bytes.offset + at + bitmap,
        shape.bits,
        0,
        layer.cumulative,
        out.items
      )
      out.extend(layer.cumulative / layer.dimension)
    }
  }

  /** Returns the nested lists, outermost first. */
  private def layersOf(values: FixedSizeListValues): List[FixedSizeListValues] =
    values.items match {
      case inner: FixedSizeListValues => values :: layersOf(inner)
      case _ => List(values)
    }

  private def leafBits(valueType: ValueType): Int = valueType match {
    case FixedSizeListType(_, items) => leafBits(items)
    case FixedWidth(bits) => bits
    case other => throw new UnsupportedFeatureException(s"fixed-size lists of $other as values")
  }

  private def hasNulls(layer: FixedSizeListValues): Boolean =
    layer.itemValidity != null && layer.itemValidity.hasNulls

  private def message(
      layers: List[FixedSizeListValues],
      leaf: CompressiveEncoding
  ): CompressiveEncoding =
    layers match {
      case Nil => leaf
      case layer :: inner =>
        val list = v2_1.FixedSizeList.newBuilder
          .setItemsPerValue(layer.dimension.toLong)
          .setHasValidity(hasNulls(layer))
          .setValues(message(inner, leaf))
        CompressiveEncoding.newBuilder.setFixedSizeList(list).build
    }

  /** Encodes all values in chunks of whole lists.
    *
    * @throws UnsupportedFeatureException if two lists exceed a chunk
    */
  def encodeMiniBlock(values: FixedSizeListValues, valueType: ValueType): CompressedMiniBlock = {
    val layers = layersOf(values)
    val withNulls = layers.filter(hasNulls)
    val bits = leafBits(valueType)
    val leaf = layers.last.items
    val itemsPerValue = itemsIn(layers, layers.last)
    val perChunk = Flat.chunkValues(chunkBits(values, valueType))
    val chunks = Vector.newBuilder[MiniBlockChunk]
    var from = 0
    while (from < values.numItems) {
      val n = math.min(perChunk, values.numItems - from)
      val bitmaps = withNulls.map { layer =>
        val items = itemsIn(layers, layer).toInt
        Buffer(bitmap(layer.itemValidity, from * items, n * items))
      }
      val numItems = n * itemsPerValue
      val bytes = new Array[Byte](RawValues.numBytes(numItems, bits).toInt)
      RawValues.copy(leaf, bits, from * itemsPerValue.toInt, numItems.toInt, bytes, 0)
      chunks += MiniBlockChunk(n, bitmaps.toVector :+ Buffer(bytes))
      from += n
    }
    CompressedMiniBlock(message(layers, Messages.flat(bits)), chunks.result())
  }

  /** Returns the bits of a value in a chunk, including the validity of items. */
  def chunkBits(values: FixedSizeListValues, valueType: ValueType): Long = {
    val layers = layersOf(values)
    itemsIn(layers, layers.last) * leafBits(valueType) +
      layers.filter(hasNulls).map(itemsIn(layers, _)).sum
  }

  /** Returns the number of items of one level in a value of the outermost one. */
  private def itemsIn(layers: Seq[FixedSizeListValues], layer: FixedSizeListValues): Long =
    layers.takeWhile(_ ne layer).map(_.dimension.toLong).product * layer.dimension

  private def bitmap(validity: Validity, from: Int, count: Int): Array[Byte] = {
    val bytes = new Array[Byte]((count + 7) / 8)
    var i = 0
    while (i < count) {
      if (validity.isValid(from + i)) bytes(i >> 3) = (bytes(i >> 3) | 1 << (i & 7)).toByte
      i += 1
    }
    bytes
  }

  /** Encodes all values for a full-zip page. */
  def encodePerValue(values: FixedSizeListValues, valueType: ValueType): CompressedFixedValues = {
    val layers = layersOf(values)
    val bits = leafBits(valueType)
    val leaf = layers.last.items
    val itemsPerValue = layers.map(_.dimension).product
    val leafValidity = layers.last.itemValidity
    val allNull = hasNulls(layers.last) && leafValidity.numNulls == leafValidity.numItems
    val itemBytes = if (allNull) 0 else RawValues.numBytes(itemsPerValue.toLong, bits).toInt
    val cumulative = layers.map(_.dimension).scanLeft(1)(_ * _).tail
    val bitmapped = layers.zip(cumulative).filter { case (layer, _) => hasNulls(layer) }
    val bytesPerValue = bitmapped.map { case (_, n) => (n + 7) / 8 }.sum + itemBytes
    val bytes = new Array[Byte](Messages.arrayLength(values.numItems.toLong * bytesPerValue))
    if (bitmapped.isEmpty && (itemsPerValue.toLong * bits) % 8 == 0)
      RawValues.copy(leaf, bits, 0, leaf.numItems, bytes, 0)
    else {
      var at = 0
      var i = 0
      while (i < values.numItems) {
        bitmapped.foreach { case (layer, n) =>
          val map = bitmap(layer.itemValidity, i * n, n)
          System.arraycopy(map, 0, bytes, at, map.length)
          at += map.length
        }
        if (!allNull) RawValues.copy(leaf, bits, i * itemsPerValue, itemsPerValue, bytes, at)
        at += itemBytes
        i += 1
      }
    }
    val leafMessage =
      if (allNull)
        CompressiveEncoding.newBuilder.setConstant(v2_1.Constant.getDefaultInstance).build
      else Messages.flat(bits)
    CompressedFixedValues(message(layers, leafMessage), bytesPerValue, Buffer(bytes))
  }
}
