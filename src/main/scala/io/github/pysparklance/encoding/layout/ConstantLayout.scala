// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout

import com.google.protobuf.ByteString

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.{CompressiveEncoding, RepDefLayer}
import io.github.pysparklance.encoding.spi._

/** A page whose items are all null or, since 2.2, all equal. Source: message `ConstantLayout`;
  * format page of the structural encodings, "Constant layout".
  *
  * {{{
  *   all null, layers [NULLABLE_ITEM]    no buffers
  *   all null, other layers              rep levels | def levels
  *   one value in inline_value           nothing, or rep levels | def levels
  *   one value in a buffer               value, or value | rep levels | def levels
  *
  *   value buffer: u32 n | n x u32 size | bytes     the Arrow buffers of an array of one: offsets and bytes, or bytes
  *   "hello"       02 00 00 00 | 08 00 00 00 05 00 00 00 | 00 00 00 00 05 00 00 00 | 68 65 6c 6c 6f
  * }}}
  * Levels are plain u16 unless the page describes their compression. An empty buffer means no
  * levels. inline_value holds fixed-width values of at most 32 bytes; a boolean is bit 0 of one
  * byte.
  */
object ConstantLayout {
  private[layout] val maxInlineBytes = 32

  // A level takes at least 1/32768 byte in every compression of levels.
  private val maxLevelsPerByte = 32768L
  private val maxLevels = 1L << 28

  /** Checks a page's message and returns the decoder of the page.
    *
    * @param numRows rows of the page
    * @param bufferSizes bytes of its buffers
    */
  def decoder(
      layout: v2_1.ConstantLayout,
      numRows: Long,
      bufferSizes: IndexedSeq[Long],
      valueType: ValueType,
      version: EncodingVersion,
      chooser: DecoderChooser
  ): PageDecoder = {
    val repDef = RepDef(layout.getLayersList)
    val numBuffers = bufferSizes.length
    val hasValue = layout.hasInlineValue || numBuffers == 1 || numBuffers == 3
    CorruptFileException.check(
      !hasValue || version != EncodingVersion.V2_1,
      s"constant value page in a file of version $version"
    )
    val isSimple = !hasValue && repDef.kinds == IndexedSeq(RepDefLayer.REPDEF_NULLABLE_ITEM)
    val valueBuffers = if (hasValue && !layout.hasInlineValue) 1 else 0
    CorruptFileException.check(
      isSimple || numBuffers - valueBuffers == 2 || (hasValue && numBuffers == valueBuffers),
      s"constant page of $numBuffers buffers"
    )
    new ConstantPage(
      layout,
      repDef,
      numRows,
      if (isSimple) 0 else numBuffers,
      hasValue,
      valueBuffers,
      valueType,
      chooser
    )
  }

  final private class ConstantPage(
      layout: v2_1.ConstantLayout,
      repDef: RepDef,
      val numRows: Long,
      numBuffers: Int,
      hasValue: Boolean,
      valueBuffers: Int,
      valueType: ValueType,
      chooser: DecoderChooser
  ) extends PageDecoder {
    def head: IndexedSeq[Int] = 0 until numBuffers

    def open(buffers: IndexedSeq[Buffer]): PageReader = {
      PageWindows.checkBuffers(buffers.length, numBuffers, "constant page")
      val value =
        if (!hasValue) null
        else if (valueBuffers == 0) inlineValue(layout.getInlineValue, valueType)
        else bufferedValue(buffers.head, valueType)
      val (rep, defs) =
        if (numBuffers == valueBuffers) (null, null)
        else
          (
            levels(
              buffers(valueBuffers),
              if (layout.hasRepCompression) Some(layout.getRepCompression) else None,
              layout.getNumRepValues,
              repDef.maxRep,
              "repetition"
            ),
            levels(
              buffers(valueBuffers + 1),
              if (layout.hasDefCompression) Some(layout.getDefCompression) else None,
              layout.getNumDefValues,
              repDef.maxDef,
              "definition"
            )
          )
      if (repDef.hasLists) {
        CorruptFileException.check(rep != null, "constant page of lists without repetition levels")
        CorruptFileException.check(
          defs == null || defs.numItems == rep.numItems,
          s"${rep.numItems} repetition levels, but ${defs.numItems} definition levels"
        )
        checkStarts(rep)
      } else
        CorruptFileException.check(
          defs == null || defs.numItems == numRows,
          s"${defs.numItems} definition levels for $numRows rows"
        )
      new ConstantReader(
        repDef,
        numRows,
        value,
        if (repDef.hasLists) rep.array else null,
        if (defs == null) null else defs.array,
        if (rep == null) 0 else rep.numItems
      )
    }

    private def checkStarts(rep: ShortValues): Unit = {
      var starts = 0L
      var i = 0
      while (i < rep.numItems) {
        if (rep.array(i) == repDef.maxRep) starts += 1
        i += 1
      }
      CorruptFileException.check(
        starts == numRows && (numRows == 0 || rep.array(0) == repDef.maxRep),
        s"repetition levels of $starts rows in a page of $numRows"
      )
    }

    private def levels(
        block: Buffer,
        encoding: Option[CompressiveEncoding],
        numValues: Long,
        max: Int,
        what: String
    ): ShortValues =
      if (block.length == 0 && numValues == 0) null
      else {
        val out = new ShortValues
        encoding match {
          case Some(e) =>
            if (
              numValues < 0 || numValues > math.min(
                maxLevels,
                (block.length + 1) * maxLevelsPerByte
              )
            )
              throw new CorruptFileException(
                s"${java.lang.Long.toUnsignedString(numValues)} $what levels in ${block.length} bytes"
              )
            chooser.block(e, FixedWidth(16)).decode(block, numValues.toInt, out)
            CorruptFileException.check(
              out.numItems == numValues,
              s"${out.numItems} $what levels, the page says $numValues"
            )
          case None =>
            CorruptFileException.check(
              block.length % 2 == 0,
              s"$what levels of ${block.length} bytes"
            )
            val at = out.extend(block.length / 2)
            block.copyShorts(0, out.array, at, block.length / 2)
        }
        RepDef.checkLevels(out.array, out.numItems, max, what)
        out
      }
  }

  private[layout] def inlineValue(bytes: ByteString, valueType: ValueType): Values =
    fixedValue(Buffer(bytes.toByteArray), valueType)

  private def fixedValue(bytes: Buffer, valueType: ValueType): Values = {
    val out = Values.allocate(valueType)
    val expected = valueType match {
      case FixedWidth(bits) => (bits + 7) / 8
      case other => throw new UnsupportedFeatureException(s"constant page of $other")
    }
    CorruptFileException.check(
      bytes.length == expected,
      s"constant value of ${bytes.length} bytes, expected $expected"
    )
    out match {
      case v: ByteValues =>
        v.append(if (valueType == FixedWidth(1)) (bytes.u8(0) & 1).toByte else bytes.u8(0).toByte)
      case v: ShortValues => v.append(bytes.u16(0).toShort)
      case v: IntValues => v.append(bytes.i32(0))
      case v: LongValues => v.append(bytes.i64(0))
      case v: WideValues =>
        val at = v.extend(1)
        bytes.copyBytes(0, v.bytes, at, expected)
      case other =>
        throw new UnsupportedFeatureException(s"constant page of ${other.getClass.getSimpleName}")
    }
    out
  }

  private def bufferedValue(buffer: Buffer, valueType: ValueType): Values = {
    val numBuffers = buffer.u32(0)
    val expected = valueType match {
      case VariableWidth(_) => 2
      case _ => 1
    }
    CorruptFileException.check(
      numBuffers == expected,
      s"constant value of $numBuffers buffers, expected $expected"
    )
    val first = buffer.slice(4 + expected * 4L, buffer.u32(4))
    valueType match {
      case VariableWidth(offsetBits) =>
        val bytes = buffer.slice(12L + first.length, buffer.u32(8))
        val (from, until) =
          if (offsetBits == 32) (first.u32(0), first.u32(4)) else (first.i64(0), first.i64(8))
        val value = bytes.slice(from, until - from)
        val out = new BinaryValues
        out.append(value.array, value.offset, value.length)
        out
      case _ => fixedValue(first, valueType)
    }
  }

  /** Encodes a page without valid values. */
  private[layout] def encodeNulls(
      page: LeafPage,
      chooser: EncoderChooser
  ): (v2_1.PageLayout, IndexedSeq[Buffer]) = {
    val layout =
      v2_1.ConstantLayout.newBuilder().addAllLayers(java.util.Arrays.asList(page.layers: _*))
    val buffers =
      if (page.layers == IndexedSeq(RepDefLayer.REPDEF_NULLABLE_ITEM)) IndexedSeq.empty
      else if (chooser.version == EncodingVersion.V2_1) plainLevels(page)
      else {
        val rep = Option(page.repetition).map(chooser.levels(_, page.numLevels))
        val definition = Option(page.definition).map(chooser.levels(_, page.numLevels))
        rep.foreach(r =>
          layout.setRepCompression(r.encoding).setNumRepValues(page.numLevels.toLong)
        )
        definition.foreach(d =>
          layout.setDefCompression(d.encoding).setNumDefValues(page.numLevels.toLong)
        )
        IndexedSeq(
          rep.fold(Buffer.empty)(_.encode(page.repetition, 0, page.numLevels)),
          definition.fold(Buffer.empty)(_.encode(page.definition, 0, page.numLevels))
        )
      }
    (v2_1.PageLayout.newBuilder().setConstantLayout(layout).build(), buffers)
  }

  /** Encodes a page whose valid values all equal the one at position `first`. */
  private[layout] def encodeValue(
      page: LeafPage,
      valueType: ValueType,
      first: Int
  ): (v2_1.PageLayout, IndexedSeq[Buffer]) = {
    val layout =
      v2_1.ConstantLayout.newBuilder().addAllLayers(java.util.Arrays.asList(page.layers: _*))
    val levels =
      if (page.repetition == null && page.definition == null) IndexedSeq.empty
      else plainLevels(page)
    val value = valueBuffers(page.values, valueType, first)
    val buffers =
      if (value.length == 1 && value.head.length <= maxInlineBytes) {
        layout.setInlineValue(ByteString.copyFrom(value.head))
        levels
      } else valueBuffer(value) +: levels
    (v2_1.PageLayout.newBuilder().setConstantLayout(layout).build(), buffers)
  }

  private def plainLevels(page: LeafPage): IndexedSeq[Buffer] =
    IndexedSeq(page.repetition, page.definition).map { levels =>
      if (levels == null) Buffer.empty
      else {
        val bytes = new Array[Byte](page.numLevels * 2)
        var l = 0
        while (l < page.numLevels) {
          Buffer.putShort(bytes, l * 2, levels(l))
          l += 1
        }
        Buffer(bytes)
      }
    }

  /** Returns the Arrow buffers of an array with one value. */
  private def valueBuffers(
      values: Values,
      valueType: ValueType,
      i: Int
  ): IndexedSeq[Array[Byte]] = values match {
    case v: ByteValues => IndexedSeq(Array(v.array(i)))
    case v: ShortValues => IndexedSeq(word(v.array(i).toLong, 2))
    case v: IntValues => IndexedSeq(word(v.array(i).toLong, 4))
    case v: LongValues => IndexedSeq(word(v.array(i), 8))
    case v: WideValues =>
      val n = v.bytesPerValue
      IndexedSeq(java.util.Arrays.copyOfRange(v.bytes, i * n, (i + 1) * n))
    case v: BinaryValues =>
      val bytes = java.util.Arrays.copyOfRange(v.bytes, v.offsets(i), v.offsets(i + 1))
      val width = valueType match {
        case VariableWidth(64) => 8
        case _ => 4
      }
      IndexedSeq(word(0L, width) ++ word(bytes.length.toLong, width), bytes)
    case other =>
      throw new UnsupportedFeatureException(s"constant page of ${other.getClass.getSimpleName}")
  }

  private def word(v: Long, numBytes: Int): Array[Byte] =
    Array.tabulate(numBytes)(b => (v >>> (b * 8)).toByte)

  private def valueBuffer(buffers: IndexedSeq[Array[Byte]]): Buffer =
    Buffer(
      (word(buffers.length.toLong, 4) +: buffers.map(b => word(b.length.toLong, 4)))
        .reduce(_ ++ _) ++ buffers.reduce(_ ++ _)
    )
}
