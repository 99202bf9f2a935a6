// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.layout.FullZipLayout
import io.github.pysparklance.encoding.proto.v2_1.{FullZipLayout => FullZip, RepDefLayer}
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.proto.v2_3.ZippedValues.AddressingCase
import io.github.pysparklance.encoding.spi._

/** Contiguous wide values, like `FullZipLayout` of 2.2. Source: message `ZippedValues`; format page
  * of the structural encodings, "Version 2.3".
  *
  * A sparse page has no levels before its values. Slots that are null, themselves or because of an
  * ancestor, have no values.
  */
private[planar] object ZippedValues {

  def dense(
      message: v2_3.ZippedValues,
      layers: java.util.List[RepDefLayer],
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): PageDecoder = {
    CorruptFileException.check(message.hasLevels, "dense zipped values without levels")
    val layout = fullZip(message)
      .addAllLayers(layers)
      .setBitsRep(message.getLevels.getBitsRepetition)
      .setBitsDef(message.getLevels.getBitsDefinition)
    FullZipLayout.decoder(layout.build(), numRows, bufferSizes, valueType, chooser)
  }

  def sparse(
      message: v2_3.ZippedValues,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): SparseValues = {
    val page = flat(message, bufferSizes, valueType, chooser)
    new SparseValues {
      def numBuffers: Int = numBuffersOf(message)
      def head: IndexedSeq[Int] = page.head

      def open(buffers: IndexedSeq[Buffer], structure: SparseDomains): SparseValuesReader = {
        val valid = structure.validLeaves
        val total = valid.rank(structure.numLeafSlots)
        CorruptFileException.check(
          total == message.getNumItems,
          s"${message.getNumItems} zipped values for $total non-null slots"
        )
        new ValidSlots(page.open(buffers), valid, Values.allocate(valueType))
      }
    }
  }

  /** Returns the values as a page without nesting and nulls, one per row.
    *
    * @param bufferSizes starts with the buffers of the values
    */
  private[planar] def flat(
      message: v2_3.ZippedValues,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): PageDecoder = {
    CorruptFileException.check(
      !message.hasLevels && message.getNumItems == message.getNumVisibleItems &&
        message.getNumItems != 0,
      s"sparse zipped values with levels, or ${message.getNumVisibleItems} slots for ${message.getNumItems} items"
    )
    CorruptFileException.check(
      bufferSizes.length >= numBuffersOf(message),
      s"sparse zipped values in a page of ${bufferSizes.length} buffers"
    )
    FullZipLayout.decoder(
      fullZip(message).addLayers(RepDefLayer.REPDEF_ALL_VALID_ITEM).build(),
      message.getNumItems,
      bufferSizes.take(numBuffersOf(message)),
      valueType,
      chooser
    )
  }

  private def numBuffersOf(message: v2_3.ZippedValues): Int =
    if (message.getAddressingCase == AddressingCase.BITS_PER_OFFSET) 2 else 1

  private def fullZip(message: v2_3.ZippedValues): FullZip.Builder = {
    CorruptFileException.check(message.hasCompression, "zipped values without compression")
    CorruptFileException.check(
      (message.getNumItems >>> 31) == 0 && (message.getNumVisibleItems >>> 31) == 0,
      s"${java.lang.Long.toUnsignedString(message.getNumItems)} zipped values"
    )
    val layout = FullZip
      .newBuilder()
      .setValueCompression(message.getCompression)
      .setNumItems(message.getNumItems.toInt)
      .setNumVisibleItems(message.getNumVisibleItems.toInt)
    message.getAddressingCase match {
      case AddressingCase.BITS_PER_VALUE => layout.setBitsPerValue(message.getBitsPerValue)
      case AddressingCase.BITS_PER_OFFSET => layout.setBitsPerOffset(message.getBitsPerOffset)
      case AddressingCase.ADDRESSING_NOT_SET =>
        throw new CorruptFileException("zipped values without a width")
    }
  }

  final private class ValidSlots(page: PageReader, valid: ValidSet, out: Values)
      extends StoredSparseValues(page) {
    private val runs = new SlotRuns

    def position(slot: Long): Long = valid.rank(slot)

    def read(from: Long, until: Long): LeafValues = {
      val first = valid.rank(from)
      val stored = page.read(first, (valid.rank(until) - first).toInt).values
      stored match {
        case PlainLeaf(values) if values.numItems < until - from =>
          spread(values, from, until)
          PlainLeaf(out)
        case other => other
      }
    }

    /** Copies the stored values to their slots and fills the others with placeholders. */
    private def spread(values: Values, from: Long, until: Long): Unit = {
      out.clear()
      runs.clear()
      valid.appendRuns(from, until, runs)
      var slot = from
      var at = 0
      var r = 0
      while (r < runs.length) {
        val count = (runs.until(r) - runs.from(r)).toInt
        out.appendFiller((runs.from(r) - slot).toInt)
        out.appendFrom(values, at, count)
        at += count
        slot = runs.until(r)
        r += 1
      }
      out.appendFiller((until - slot).toInt)
    }
  }
}
