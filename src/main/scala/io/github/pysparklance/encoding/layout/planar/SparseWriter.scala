// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.SequenceEncoder
import io.github.pysparklance.encoding.layout.{LayerBuilder, RepDef}
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.proto.v2_3.SparseValiditySet.Meaning
import io.github.pysparklance.encoding.spi._

/** Encodes the structure of a sparse page, the inverse of [[SparseStructure]]. Hot code:
  * imperative.
  *
  * Source: message `SparseStructure`; format page of the structural encodings, "Sparse pages".
  *
  * @param layers root first
  */
final private[planar] class SparseWriter private (layers: IndexedSeq[Layer], numLeafSlots: Int) {
  private val payloads = IndexedSeq.newBuilder[Buffer]

  val message: v2_3.SparseStructure = {
    val structure = v2_3.SparseStructure.newBuilder()
    layers.foreach { layer =>
      val out = v2_3.SparseStructuralLayer.newBuilder()
      layer match {
        case ItemLayer(validity) => out.setValidity(validitySet(validity))
        case list: ListLayer => out.setList(this.list(list))
      }
      structure.addLayers(out)
    }
    structure.build()
  }

  /** The buffers of its sequences, in order. */
  val buffers: IndexedSeq[Buffer] = payloads.result()

  def numBytes: Long =
    message.getSerializedSize + buffers.iterator.map(_.length.toLong).sum

  // A slot below a null struct is marked null itself, and null lists have no slots below them.
  private val leaf: Validity = layers.last match {
    case ItemLayer(validity) => validity
    case _: ListLayer => throw new IllegalStateException("a leaf that is a list")
  }

  /** Number of non-null slots of the leaf. */
  def numValid: Int = numLeafSlots - (if (leaf == null) 0 else leaf.numNulls)

  /** Returns the values of these slots. */
  def valid(values: Values, valueType: ValueType): Values =
    if (leaf == null) values
    else {
      val out = Values.allocate(valueType)
      var i = 0
      while (i < numLeafSlots) {
        val first = i
        while (i < numLeafSlots && leaf.isValid(i)) i += 1
        if (i > first) out.appendFrom(values, first, i - first)
        while (i < numLeafSlots && !leaf.isValid(i)) i += 1
      }
      out
    }

  private def list(layer: ListLayer): v2_3.SparseListLayer = {
    val offsets = layer.offsets
    val positions = new Array[Long](layer.numSlots)
    val counts = new Array[Long](layer.numSlots)
    var n = 0
    var i = 0
    while (i < layer.numSlots) {
      val length = offsets(i + 1) - offsets(i)
      if (length > 0) {
        positions(n) = i.toLong
        counts(n) = length.toLong
        n += 1
      }
      i += 1
    }
    val message = v2_3.SparseListLayer
      .newBuilder()
      .setNumChildSlots(offsets(layer.numSlots).toLong)
      .setNumNonEmptyPositions(n.toLong)
    message.setNonEmptyPositions(sequence(positions, n))
    message.setCounts(sequence(counts, n))
    message.setValidity(validitySet(layer.validity)).build()
  }

  /** Encodes the positions of the null slots, or of the valid slots if they are fewer. */
  private def validitySet(validity: Validity): v2_3.SparseValiditySet = {
    val nulls = if (validity == null) 0 else validity.numNulls
    val numSlots = if (validity == null) 0 else validity.numItems
    val ofNulls = nulls <= numSlots - nulls
    val count = if (ofNulls) nulls else numSlots - nulls
    val positions = new Array[Long](count)
    var n = 0
    var i = 0
    while (n < count) {
      if (validity.isValid(i) != ofNulls) {
        positions(n) = i.toLong
        n += 1
      }
      i += 1
    }
    v2_3.SparseValiditySet
      .newBuilder()
      .setMeaning(
        if (ofNulls) Meaning.SPARSE_VALIDITY_NULL_POSITIONS
        else Meaning.SPARSE_VALIDITY_VALID_POSITIONS
      )
      .setPositions(sequence(positions, count))
      .setNumPositions(count.toLong)
      .build()
  }

  private def sequence(
      numbers: Array[Long],
      count: Int
  ): io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding = {
    val encoded = SequenceEncoder.encode(numbers, count)
    payloads ++= encoded.payload
    encoded.encoding
  }
}

private[planar] object SparseWriter {

  /** Builds the structure from the levels of a page. */
  def apply(page: LeafPage): SparseWriter = {
    val repDef = new RepDef(page.layers)
    val builder = new LayerBuilder(repDef)
    val layers =
      if (page.repetition != null)
        builder.lists(page.numRows, page.repetition, page.definition, page.numLevels)
      else {
        if (page.definition == null) builder.appendValid(page.numLevels)
        else builder.appendItems(page.definition, 0, page.numLevels)
        builder.items
      }
    new SparseWriter(layers, page.values.numItems)
  }
}
