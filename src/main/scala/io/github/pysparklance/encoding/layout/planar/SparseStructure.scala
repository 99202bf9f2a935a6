// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.proto.v2_3.SparseStructuralLayer.LayerCase
import io.github.pysparklance.encoding.spi._

/** The nesting of a sparse page before its bytes are read: a chain of domains from the rows to the slots of the leaf.
  * Source: message `SparseStructure`; format page of the structural encodings, "Sparse pages".
  *
  * {{{
  *   list<int32>  [1, null]  null  []  [4]
  *   layer   slots   what it says
  *   list    4 rows  slots 0 and 3 have 2 and 1 children; slot 1 is null           numChildSlots 3
  *   leaf    3       slots 0 and 2 are valid
  * }}}
  * Each layer has sequences: the slots with children and their counts (lists), and which slots are null, or valid. One
  * buffer for each sequence that has bytes, root first; in a list in the order of the words above.
  *
  * @param numRows rows of the page
  */
final private[planar] class SparseStructure(
    layers: IndexedSeq[SparseStructure.Layer],
    val numRows: Long,
    val numLeafSlots: Long
) {

  /** Buffers of the page that are the structure's. */
  def numBuffers: Int = layers.iterator.map(_.numBuffers).sum

  /** @param buffers those of the structure, in order */
  def open(buffers: IndexedSeq[Buffer]): SparseDomains = {
    val next = buffers.iterator
    new SparseDomains(layers.map(_.open(next)), numLeafSlots)
  }
}

private[planar] object SparseStructure {

  /** Slots of a domain and values of a sequence; more are taken for damage. */
  val mostSlots: Long = Long.MaxValue / 4

  /** A layer of the message. */
  trait Layer {
    def numChildSlots: Long
    def numBuffers: Int

    /** Takes as many buffers as it has. */
    def open(buffers: Iterator[Buffer]): SparseDomain
  }

  /** Reads the message.
    *
    * @param encodedRows rows of the page, times the dimensions of all its fixed-size lists
    * @throws CorruptFileException when the layers contradict each other
    */
  def apply(
      message: v2_3.SparseStructure,
      encodedRows: Long,
      chooser: DecoderChooser
  ): SparseStructure = {
    val numLayers = message.getLayersCount
    CorruptFileException.check(
      numLayers > 0 && numLayers <= 1024 && message.getLayers(numLayers - 1).hasValidity,
      s"a sparse page of $numLayers layers, the last of which has to be a leaf"
    )
    val rows = rowsOf(message, encodedRows)
    val layers = IndexedSeq.newBuilder[Layer]
    var slots = rows
    var i = 0
    while (i < numLayers) {
      val next = layer(message.getLayers(i), slots, chooser)
      CorruptFileException.check(
        next.numChildSlots >= 0 && next.numChildSlots <= mostSlots,
        s"layer $i of a sparse page has ${java.lang.Long.toUnsignedString(next.numChildSlots)} child slots"
      )
      slots = next.numChildSlots
      layers += next
      i += 1
    }
    new SparseStructure(layers.result(), rows, slots)
  }

  private def rowsOf(message: v2_3.SparseStructure, encodedRows: Long): Long = {
    var rows = encodedRows
    message.getLayersList.forEach { layer =>
      if (layer.hasFixedSizeList) {
        val dimension = layer.getFixedSizeList.getDimension
        CorruptFileException.check(
          dimension > 0 && rows % dimension == 0,
          s"a page of $encodedRows rows with lists of ${java.lang.Long.toUnsignedString(dimension)} items"
        )
        rows /= dimension
      }
    }
    rows
  }

  private def layer(
      message: v2_3.SparseStructuralLayer,
      slots: Long,
      chooser: DecoderChooser
  ): Layer = message.getLayerCase match {
    case LayerCase.VALIDITY =>
      val validity = SparseValiditySet(message.getValidity, slots, chooser)
      new Layer {
        def numChildSlots: Long = slots
        def numBuffers: Int = validity.numBuffers
        def open(buffers: Iterator[Buffer]): SparseDomain = new SparseItems(validity.open(buffers))
      }
    case LayerCase.LIST => SparseListLayer(message.getList, slots, chooser)
    case LayerCase.FIXED_SIZE_LIST =>
      SparseFixedSizeListLayer(message.getFixedSizeList, slots, chooser)
    case LayerCase.LAYER_NOT_SET =>
      throw new UnsupportedFeatureException(
        s"layer ${message.getUnknownFields.asMap.keySet} of a sparse page"
      )
  }
}

/** 64-bit numbers of a sparse page, whose number its message says. */
final private[planar] class SparseSequence(decoder: SequenceDecoder, val numValues: Long) {

  /** The numbers, when their description says that they lie at equal distances. */
  val progression: Option[Progression] = decoder.progression(numValues)

  def numBuffers: Int = if (decoder.hasPayload) 1 else 0

  /** The numbers; the array may be longer. */
  def decode(buffers: Iterator[Buffer]): Array[Long] = {
    val payload = if (decoder.hasPayload) buffers.next() else Buffer.empty
    val out = new LongValues
    decoder.decode(payload, SparseDomains.listLength(numValues), out)
    out.array
  }
}
