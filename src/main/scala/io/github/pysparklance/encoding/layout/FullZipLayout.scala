// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._

/** Wide values, each zipped with its levels. Source: message `FullZipLayout`; format page of the
  * structural encodings, "Full-zip layout".
  *
  * {{{
  *   buffer 0   one entry a level: control word | length, for valid variable-width values | value, for visible items
  *              (fixed width: null items too)
  *   buffer 1   numRows + 1 offsets of rows in buffer 0, each 1, 2, 4 or 8 bytes: with lists or variable-width values
  *
  *   control word = rep << bitsDef | def, in 0, 1, 2 or 4 bytes as bitsRep + bitsDef need
  *
  *   int32 [1, null, 3]            00 01 00 00 00 | 01 00 00 00 00 | 00 03 00 00 00
  *   utf8 ["ab", null, "", "c"]    00 02 00 00 00 61 62 | 01 | 00 00 00 00 00 | 00 01 00 00 00 63
  *                                 index 00 07 08 0d 13
  * }}}
  * Booleans take one byte each. The writer uses this layout for values of 256 bytes and more.
  */
object FullZipLayout {

  /** Checks a page's message and returns the decoder of the page.
    *
    * @param numRows rows of the page
    * @param bufferSizes bytes of its buffers
    */
  def decoder(
      layout: v2_1.FullZipLayout,
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      chooser: DecoderChooser
  ): PageDecoder = {
    import v2_1.FullZipLayout.DetailsCase
    CorruptFileException.check(
      layout.hasValueCompression,
      "full-zip page without value_compression"
    )
    val repDef = RepDef(layout.getLayersList)
    val words = new ControlWords(layout.getBitsRep, layout.getBitsDef, repDef)
    CorruptFileException.check(
      repDef.hasLists || Integer.toUnsignedLong(layout.getNumItems) == numRows,
      s"full-zip page of ${Integer.toUnsignedLong(layout.getNumItems)} items and $numRows rows without lists"
    )
    val encoding = layout.getValueCompression
    val isVariable = layout.getDetailsCase == DetailsCase.BITS_PER_OFFSET
    val hasIndex = isVariable || repDef.hasLists
    PageWindows.checkBuffers(bufferSizes.length, if (hasIndex) 2 else 1, "full-zip page")
    val values = layout.getDetailsCase match {
      case DetailsCase.BITS_PER_OFFSET =>
        val bits = layout.getBitsPerOffset
        CorruptFileException.check(bits == 32 || bits == 64, s"bits_per_offset $bits")
        ZippedVariable(bits / 8, () => chooser.variablePerValue(encoding, valueType))
      case DetailsCase.BITS_PER_VALUE =>
        val bits = layout.getBitsPerValue
        CorruptFileException.check(bits >= 0 && bits % 8 == 0, s"bits_per_value $bits")
        val stride = bits / 8 + words.numBytes
        val size = bufferSizes(0)
        CorruptFileException.check(
          repDef.hasLists ||
            (if (stride == 0) size == 0 else size % stride == 0 && size / stride == numRows),
          s"full-zip page of $size bytes for $numRows rows of $stride bytes"
        )
        ZippedFixed(bits / 8, () => chooser.fixedPerValue(encoding, valueType))
      case _ => throw new CorruptFileException("full-zip page without a width")
    }
    new FullZipPage(repDef, words, numRows, bufferSizes, valueType, values, hasIndex)
  }

  final private class FullZipPage(
      repDef: RepDef,
      words: ControlWords,
      val numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      values: ZippedValues,
      hasIndex: Boolean
  ) extends PageDecoder {
    def head: IndexedSeq[Int] = if (hasIndex) IndexedSeq(1) else IndexedSeq.empty

    private def indexWidth: Int = IndexedRows.width(bufferSizes(1), numRows)

    def open(buffers: IndexedSeq[Buffer]): PageReader = {
      PageWindows.checkBuffers(buffers.length, head.length, "head of a full-zip page")
      reader(values match {
        case _ if hasIndex => new IndexedRows(buffers.head, 0, indexWidth, bufferSizes(0))
        case fixed: ZippedFixed => new StridedRows(fixed.bytesPerValue + words.numBytes)
        case _: ZippedVariable => throw new CorruptFileException("full-zip page without an index")
      })
    }

    override def partialHead(rows: RowRange): Option[PartialHead] =
      if (!hasIndex || rows.numRows >= numRows / 2) None
      else {
        PageWindows.checkRows(rows.from, rows.numRows, numRows)
        val width = indexWidth
        Some(new PartialHead {
          val range: PageRange = PageRange(1, rows.from * width, (rows.numRows + 1) * width)
          def open(bytes: Buffer): PageReader =
            reader(new IndexedRows(bytes, rows.from, width, bufferSizes(0)))
        })
      }

    private def reader(rows: ZippedRows): PageReader = {
      val out = Values.allocate(valueType)
      val zipper = values match {
        case ZippedVariable(lengthBytes, make) =>
          new VariableUnzipper(repDef, words, lengthBytes, make(), out)
        case ZippedFixed(bytesPerValue, make) =>
          val decoder = make()
          CorruptFileException.check(
            decoder.bytesPerValue == bytesPerValue,
            s"full-zip values of $bytesPerValue bytes, but the compression has ${decoder.bytesPerValue} bytes"
          )
          new FixedUnzipper(repDef, words, decoder, out)
      }
      new FullZipReader(repDef, numRows, rows, zipper)
    }
  }

  sealed private trait ZippedValues
  final private case class ZippedFixed(bytesPerValue: Int, decoder: () => FixedPerValueDecoder)
      extends ZippedValues
  final private case class ZippedVariable(lengthBytes: Int, decoder: () => VariablePerValueDecoder)
      extends ZippedValues

  /** Encodes a page. */
  private[layout] def encode(
      page: LeafPage,
      valueType: ValueType,
      chooser: EncoderChooser
  ): (v2_1.PageLayout, IndexedSeq[Buffer]) = {
    val repDef = new RepDef(page.layers)
    val bitsRep =
      if (page.repetition == null) 0
      else Levels.bitLength(Levels.max(page.repetition, page.numLevels))
    // The highest level of the layers, not of the page: without definition bits, readers mistake
    // structs above lists for items.
    val bitsDef = if (page.definition == null) 0 else Levels.bitLength(repDef.maxDef)
    val words = new ControlWords(bitsRep, bitsDef, repDef)
    val layout = v2_1.FullZipLayout
      .newBuilder()
      .setBitsRep(bitsRep)
      .setBitsDef(bitsDef)
      .setNumItems(page.numLevels)
      .setNumVisibleItems(page.values.numItems)
      .addAllLayers(java.util.Arrays.asList(page.layers: _*))
    val zipper = new Zipper(page, repDef, words)
    page.values match {
      case _: BinaryValues | _: PackedStructValues =>
        val c = chooser.variablePerValue(page.values, valueType)
        layout.setBitsPerOffset(c.bitsPerOffset).setValueCompression(c.encoding)
        zipper.zipVariable(c.values, c.bitsPerOffset / 8)
      case _ =>
        val c = chooser.fixedPerValue(page.values, valueType)
        layout.setBitsPerValue(c.bytesPerValue * 8).setValueCompression(c.encoding)
        zipper.zipFixed(c.bytes, c.bytesPerValue)
    }
    (
      v2_1.PageLayout.newBuilder().setFullZipLayout(layout).build(),
      zipper.data +: zipper.index.toIndexedSeq
    )
  }
}

/** The control words of a full-zip page, which contain the levels of its values. */
final private[layout] class ControlWords(val bitsRep: Int, val bitsDef: Int, repDef: RepDef) {
  CorruptFileException.check(
    bitsRep >= 0 && bitsRep <= 16 && bitsDef >= 0 && bitsDef <= 16 && (bitsRep > 0) == repDef.hasLists,
    s"levels of $bitsRep and $bitsDef bits with ${repDef.maxRep} list layers"
  )

  val numBytes: Int = {
    val bits = bitsRep + bitsDef
    if (bits == 0) 0 else if (bits <= 8) 1 else if (bits <= 16) 2 else 4
  }

  private val defMask = (1 << bitsDef) - 1

  /** Reads the word at `at`. The caller has checked the bounds. */
  def read(bytes: Array[Byte], at: Int): Int = numBytes match {
    case 0 => 0
    case 1 => bytes(at) & 0xff
    case 2 => Buffer.shortAt(bytes, at) & 0xffff
    case _ => Buffer.intAt(bytes, at)
  }

  def write(rep: Int, definition: Int, bytes: Array[Byte], at: Int): Unit = {
    val word = (rep << bitsDef) | definition
    numBytes match {
      case 0 =>
      case 1 => bytes(at) = word.toByte
      case 2 => Buffer.putShort(bytes, at, word.toShort)
      case _ => Buffer.putInt(bytes, at, word)
    }
  }

  def repetition(word: Int): Short = (word >>> bitsDef).toShort

  def definition(word: Int): Short = (word & defMask).toShort
}
