// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.layout.{MiniBlockLayout, SeparateNulls}
import io.github.pysparklance.encoding.proto.v2_1.{MiniBlockLayout => MiniBlock, RepDefLayer}
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.spi._

/** Narrow values in small chunks, like `MiniBlockLayout` of 2.2. Source: message `ChunkedValues`;
  * format page of the structural encodings, "Version 2.3".
  *
  * A dense page has its levels in `levels`, which may be empty. A sparse page has neither levels
  * nor a number of items. Its chunks contain a value for every slot of the leaf, including null
  * slots.
  */
private[planar] object ChunkedValues {

  def dense(
      message: v2_3.ChunkedValues,
      layers: java.util.List[RepDefLayer],
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): PageDecoder = {
    CorruptFileException.check(message.hasLevels, "dense chunked values without levels")
    val levels = message.getLevels
    val layout = miniBlock(message, message.getNumItems)
      .addAllLayers(layers)
      .setRepetitionIndexDepth(levels.getRepetitionIndexDepth)
    if (levels.hasRepetition) layout.setRepCompression(levels.getRepetition)
    if (levels.hasDefinition) layout.setDefCompression(levels.getDefinition)
    MiniBlockLayout.decoder(
      layout.build(),
      numRows,
      bufferSizes,
      valueType,
      EncodingVersion.V2_3,
      chooser
    )
  }

  def sparse(
      message: v2_3.ChunkedValues,
      numLeafSlots: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): SparseValues = {
    CorruptFileException.check(
      !message.hasLevels && message.getNumItems == 0,
      "sparse chunked values with levels or a count of items"
    )
    CorruptFileException.check(numLeafSlots > 0, "chunked values in a page without any slot")
    val count = if (message.hasDictionary) 3 else 2
    CorruptFileException.check(
      bufferSizes.length >= count,
      s"sparse chunked values in a page of ${bufferSizes.length} buffers"
    )
    val layout = miniBlock(message, numLeafSlots).addLayers(RepDefLayer.REPDEF_ALL_VALID_ITEM)
    val nulls = if (message.hasDictionary) Some(new SeparateNulls) else None
    val page = MiniBlockLayout.decoder(
      layout.build(),
      numLeafSlots,
      bufferSizes.take(count),
      valueType,
      EncodingVersion.V2_3,
      chooser,
      nulls
    )
    new SparseValues {
      def numBuffers: Int = count
      def head: IndexedSeq[Int] = page.head
      def open(buffers: IndexedSeq[Buffer], structure: SparseDomains): SparseValuesReader =
        nulls match {
          case None => new EverySlot(page.open(buffers))
          case Some(n) => new EveryIndex(page.open(buffers), structure.validLeaves, n)
        }
    }
  }

  private def miniBlock(message: v2_3.ChunkedValues, numItems: Long): MiniBlock.Builder = {
    CorruptFileException.check(message.hasCompression, "chunked values without compression")
    CorruptFileException.check(
      message.hasDictionary == (message.getNumDictionaryItems != 0),
      s"chunked values with a dictionary ${message.hasDictionary} of " +
        s"${java.lang.Long.toUnsignedString(message.getNumDictionaryItems)} items"
    )
    val layout = MiniBlock
      .newBuilder()
      .setValueCompression(message.getCompression)
      .setNumBuffers(message.getNumBuffers)
      .setNumItems(numItems)
      .setHasLargeChunk(true)
    if (message.hasDictionary)
      layout
        .setDictionary(message.getDictionary)
        .setNumDictionaryItems(message.getNumDictionaryItems)
    layout
  }

  private class EverySlot(page: PageReader) extends StoredSparseValues(page) {
    def position(slot: Long): Long = slot

    def read(from: Long, until: Long): LeafValues =
      page.read(from, (until - from).toInt).values
  }

  /** Dictionary indices. Indices of null slots are undefined. */
  final private class EveryIndex(page: PageReader, valid: ValidSet, nulls: SeparateNulls)
      extends EverySlot(page) {
    private val validity = new Validity

    override def read(from: Long, until: Long): LeafValues = {
      nulls.validity = valid.of(from, until, validity)
      super.read(from, until)
    }
  }
}
