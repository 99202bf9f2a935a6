// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.proto.v2_3.SparseStructuralLayer.LayerCase
import io.github.pysparklance.encoding.spi._

/** The nesting of a sparse page before its bytes are read: a chain of layers from the rows to the
  * slots of the leaf. Source: message `SparseStructure`; format page of the structural encodings,
  * "Sparse pages".
  *
  * {{{
  *   list<int32>  [1, null]  null  []  [4]
  *   layer   slots   content
  *   list    4 rows  slots 0 and 3 have 2 and 1 children; slot 1 is null           numChildSlots 3
  *   leaf    3       slots 0 and 2 are valid
  * }}}
  * Each layer has sequences. Lists have the slots with children and the numbers of children. All
  * layers have either the null slots or the valid slots. Each sequence that has bytes takes one
  * buffer, root first, and within a list in this order.
  *
  * @param numRows rows of the page
  */
final private[planar] class SparseStructure(
    layers: IndexedSeq[SparseStructure.Layer],
    val numRows: Long,
    val numLeafSlots: Long
) {

  /** Number of the page's buffers that belong to the structure. */
  def numBuffers: Int = layers.iterator.map(_.numBuffers).sum

  /** Parses the structure.
    *
    * @param buffers buffers of the structure, in order
    */
  def open(buffers: IndexedSeq[Buffer]): SparseDomains = {
    val next = buffers.iterator
    new SparseDomains(layers.map(_.open(next)), numLeafSlots)
  }
}

private[planar] object SparseStructure {

  /** Maximum number of slots of a layer and of values of a sequence. Larger numbers are rejected as
    * damage.
    */
  val mostSlots: Long = Long.MaxValue / 4

  /** A layer of the message. */
  trait Layer {
    def numChildSlots: Long
    def numBuffers: Int

    /** Parses the layer. Takes [[numBuffers]] buffers. */
    def open(buffers: Iterator[Buffer]): SparseDomain
  }

  /** Parses the message.
    *
    * @param encodedRows rows of the page, times the dimensions of all its fixed-size lists
    * @throws CorruptFileException if the layers are inconsistent
    */
  def apply(
      message: v2_3.SparseStructure,
      encodedRows: Long,
      chooser: DecoderChooser
  ): SparseStructure = {
    val numLayers = message.getLayersCount
    CorruptFileException.check(
      numLayers > 0 && numLayers <= 1024 && message.getLayers(numLayers - 1).hasValidity,
      s"a sparse page of $numLayers layers, whose last layer must be a leaf"
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

/** A sequence of 64-bit numbers in a sparse page. The message contains its length. */
final private[planar] class SparseSequence(decoder: SequenceDecoder, val numValues: Long) {

  /** The numbers, if their description alone determines them as an arithmetic progression. */
  val progression: Option[Progression] = decoder.progression(numValues)

  def numBuffers: Int = if (decoder.hasPayload) 1 else 0

  /** Decodes the numbers. The array may be longer. */
  def decode(buffers: Iterator[Buffer]): Array[Long] = {
    val payload = if (decoder.hasPayload) buffers.next() else Buffer.empty
    val out = new LongValues
    decoder.decode(payload, SparseDomains.listLength(numValues), out)
    out.array
  }
}
