// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._

/** Narrow values in small chunks that are compressed independently. Source: message
  * `MiniBlockLayout`; format page of the structural encodings, "Mini-block layout".
  *
  * {{{
  *   buffer 0   chunk words                        see ChunkTable
  *   buffer 1   chunks, each:   u16 numLevels      0 without levels
  *                              u16 repSize        only with repetition levels
  *                              u16 defSize        only with definition levels
  *                              size x numBuffers  u16 in 2.1, u32 since 2.2
  *                              pad to 8 | rep, pad to 8 | def, pad to 8 | each value buffer, pad to 8
  *   buffer 2   dictionary, if there is one: one block of numDictionaryItems items; the values are indices
  *   last       repetition index, with lists
  *
  *   int32 [1, null, 3] in 2.1:
  *   03 00 | 06 00 | 0c 00 | fe fe | 00 00 01 00 00 00 fe fe | 01 00 00 00 00 00 00 00 03 00 00 00 fe fe fe fe
  * }}}
  * The writer uses this layout for values under 256 bytes and for dictionaries.
  */
object MiniBlockLayout {
  private[layout] val dataBuffer = 1

  /** Checks a page's message and returns the decoder of the page.
    *
    * @param numRows rows of the page
    * @param bufferSizes bytes of its buffers
    */
  def decoder(
      layout: v2_1.MiniBlockLayout,
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      version: EncodingVersion,
      chooser: DecoderChooser
  ): PageDecoder = decoder(layout, numRows, bufferSizes, valueType, version, chooser, None)

  /** @param nulls the null values, if the layers of the page do not contain them */
  private[layout] def decoder(
      layout: v2_1.MiniBlockLayout,
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      version: EncodingVersion,
      chooser: DecoderChooser,
      nulls: Option[SeparateNulls]
  ): PageDecoder = {
    CorruptFileException.check(
      layout.getHasLargeChunk == version.hasLargeChunk,
      s"mini-block page with has_large_chunk ${layout.getHasLargeChunk} in a file of version $version"
    )
    CorruptFileException.check(
      layout.hasValueCompression,
      "mini-block page without value_compression"
    )
    val repDef = RepDef(layout.getLayersList)
    CorruptFileException.check(
      layout.hasRepCompression == repDef.hasLists,
      s"mini-block page with ${repDef.maxRep} list layers and rep_compression ${layout.hasRepCompression}"
    )
    val depth = layout.getRepetitionIndexDepth
    CorruptFileException.check(
      (depth > 0) == repDef.hasLists && depth >= 0 && depth <= repDef.maxRep,
      s"repetition index of depth $depth with ${repDef.maxRep} list layers"
    )
    PageWindows.checkBuffers(
      bufferSizes.length,
      2 + (if (layout.hasDictionary) 1 else 0) + (if (depth > 0) 1 else 0),
      "mini-block page"
    )
    new MiniBlockPage(layout, repDef, numRows, bufferSizes(dataBuffer), valueType, chooser, nulls)
  }

  final private class MiniBlockPage(
      layout: v2_1.MiniBlockLayout,
      repDef: RepDef,
      val numRows: Long,
      dataSize: Long,
      valueType: ValueType,
      chooser: DecoderChooser,
      nulls: Option[SeparateNulls]
  ) extends PageDecoder {
    private val hasIndex = layout.getRepetitionIndexDepth > 0

    def head: IndexedSeq[Int] =
      (0 +: (if (layout.hasDictionary) IndexedSeq(2) else IndexedSeq.empty)) ++
        (if (!hasIndex) IndexedSeq.empty
         else if (layout.hasDictionary) IndexedSeq(3) else IndexedSeq(2))

    def open(buffers: IndexedSeq[Buffer]): PageReader = {
      PageWindows.checkBuffers(buffers.length, head.length, "head of a mini-block page")
      val table = ChunkTable.parse(
        buffers.head,
        layout.getHasLargeChunk,
        layout.getNumItems,
        dataSize,
        numRows,
        if (hasIndex) Some((buffers.last, layout.getRepetitionIndexDepth + 1)) else None
      )
      val (storedType, values) =
        if (layout.hasDictionary) dictionary(buffers(1))
        else (valueType, new PlainPageValues(Values.allocate(valueType)))
      val decoder = chooser.miniBlock(layout.getValueCompression, storedType)
      CorruptFileException.check(
        layout.getNumBuffers == decoder.numBuffers,
        s"${layout.getNumBuffers} value buffers per chunk, but the compression has ${decoder.numBuffers}"
      )
      val windows = new PageWindows
      val cursor = new MiniBlockChunkCursor(
        repDef,
        table,
        windows,
        layout.getHasLargeChunk,
        if (layout.hasRepCompression) levels(layout.getRepCompression) else null,
        if (layout.hasDefCompression) levels(layout.getDefCompression) else null,
        decoder
      )
      new MiniBlockReader(repDef, table, numRows, windows, cursor, values)
    }

    private def levels(encoding: v2_1.CompressiveEncoding): BlockDecoder =
      chooser.block(encoding, FixedWidth(16))

    private def dictionary(block: Buffer): (ValueType, PageValues) = {
      val numItems = layout.getNumDictionaryItems
      CorruptFileException.check(
        numItems >= 0 && numItems <= mostItems(
          layout.getDictionary,
          block.length.toLong,
          valueType
        ),
        s"dictionary of ${java.lang.Long.toUnsignedString(numItems)} items in ${block.length} bytes"
      )
      val items = Values.allocate(valueType)
      chooser.block(layout.getDictionary, valueType).decode(block, numItems.toInt, items)
      CorruptFileException.check(
        items.numItems == numItems,
        s"${items.numItems} dictionary items, but the page declares $numItems"
      )
      val indexType = FixedWidth(indexBits(layout.getValueCompression))
      val indices = Values.allocate(indexType)
      items match {
        case _: FixedSizeListValues =>
          (indexType, new ExpandedPageValues(indices, items, Values.allocate(valueType), nulls))
        case _ => (indexType, new DictionaryPageValues(indices, items, nulls))
      }
    }
  }

  // Limits for encodings that store many items in few bytes, where nothing confirms the declared
  // number of items.
  private val claimedBytes = 1L << 20
  private val runBytesPerByte = 4096L
  private val generalGrowth = 256L

  /** Returns the maximum number of items of a dictionary of `numBytes` bytes. Most encodings check
    * the number themselves.
    */
  private def mostItems(
      encoding: v2_1.CompressiveEncoding,
      numBytes: Long,
      valueType: ValueType
  ): Long = {
    import v2_1.CompressiveEncoding.CompressionCase._
    def within(plainBytes: Long): Long =
      math.max(1L, math.min(Int.MaxValue - 1L, plainBytes / itemBytes(valueType)))
    encoding.getCompressionCase match {
      case CONSTANT => within(claimedBytes)
      case OUT_OF_LINE_BITPACKING
          if encoding.getOutOfLineBitpacking.getValues.getFlat.getBitsPerValue == 0 =>
        within(claimedBytes)
      case RLE => within(claimedBytes + numBytes * runBytesPerByte)
      case GENERAL =>
        val plainBytes = math.min(Int.MaxValue.toLong, numBytes * generalGrowth)
        mostItems(encoding.getGeneral.getValues, plainBytes, valueType)
      case _ => Int.MaxValue - 1L
    }
  }

  /** Returns the minimum bytes of an item in memory. */
  private def itemBytes(valueType: ValueType): Long = valueType match {
    case FixedWidth(bits) => math.max(1L, bits / 8L)
    case VariableWidth(_) => 4L
    case FixedSizeListType(dimension, items) =>
      Math.multiplyExact(math.max(1L, dimension.toLong), itemBytes(items))
    case PackedStructType(children) => math.max(1L, children.map(itemBytes).sum)
  }

  /** Returns the width of the values that a compression of integers decodes to. */
  private def indexBits(encoding: v2_1.CompressiveEncoding): Int = {
    import v2_1.CompressiveEncoding.CompressionCase._
    val bits = encoding.getCompressionCase match {
      case FLAT => encoding.getFlat.getBitsPerValue
      case INLINE_BITPACKING => encoding.getInlineBitpacking.getUncompressedBitsPerValue
      case OUT_OF_LINE_BITPACKING => encoding.getOutOfLineBitpacking.getUncompressedBitsPerValue
      case RLE => indexBits(encoding.getRle.getValues).toLong
      case BYTE_STREAM_SPLIT => indexBits(encoding.getByteStreamSplit.getValues).toLong
      case GENERAL => indexBits(encoding.getGeneral.getValues).toLong
      case other =>
        throw new UnsupportedFeatureException(s"dictionary indices compressed by $other")
    }
    CorruptFileException.check(
      bits == 8 || bits == 16 || bits == 32 || bits == 64,
      s"dictionary indices of $bits bits"
    )
    bits.toInt
  }

  /** Encodes a page of compressed values.
    *
    * @return `None` if a chunk is too long with its levels; the page then needs fewer rows or
    *   another layout
    */
  private[layout] def encode(
      page: LeafPage,
      values: CompressedMiniBlock,
      dictionary: Option[CompressedDictionary],
      chooser: EncoderChooser
  ): Option[(v2_1.PageLayout, IndexedSeq[Buffer])] = {
    val repDef = new RepDef(page.layers)
    val writer = new MiniBlockWriter(page, repDef, values, chooser)
    if (!writer.fits) None
    else {
      val layout = v2_1.MiniBlockLayout
        .newBuilder()
        .setValueCompression(values.encoding)
        .addAllLayers(java.util.Arrays.asList(page.layers: _*))
        .setNumBuffers(values.chunks.head.buffers.length.toLong)
        .setRepetitionIndexDepth(if (repDef.hasLists) 1 else 0)
        .setNumItems(page.values.numItems.toLong)
        .setHasLargeChunk(chooser.version.hasLargeChunk)
      writer.repetition.foreach(r => layout.setRepCompression(r.encoding))
      writer.definition.foreach(d => layout.setDefCompression(d.encoding))
      dictionary.foreach { d =>
        layout.setDictionary(d.items.encoding).setNumDictionaryItems(d.numItems.toLong)
      }
      Some(
        (
          v2_1.PageLayout.newBuilder().setMiniBlockLayout(layout).build(),
          IndexedSeq(writer.words, writer.data) ++ dictionary.map(_.items.bytes) ++ writer.index
        )
      )
    }
  }
}
