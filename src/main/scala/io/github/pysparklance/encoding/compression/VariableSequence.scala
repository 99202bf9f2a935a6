// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.spi._

/** `Variable` whose offsets are a sequence, apart from the bytes. Source: message `Variable`, format page of the
  * compressive encodings, "Mini-block, generic offsets".
  *
  * {{{
  *   buffer 0   (n + 1) offsets from 0, unless their description says all      Range{start 0, step 10}: no such buffer
  *   last       bytes                                                          values of 10 bytes each
  * }}}
  * Since 2.3; mini-block only. Hot code: imperative.
  */
private[encoding] object VariableSequence {

  def miniBlock(
      message: v2_1.Variable,
      valueType: ValueType,
      choose: DecoderChooser
  ): MiniBlockDecoder = {
    Variable.requireVariable(valueType)
    Messages.refuseLeafCompression("Variable", message.hasValues)
    val bits = Sequences.bitsOf(message.getOffsets)
    new MiniBlock(choose.sequence(message.getOffsets, bits), bits)
  }

  final private class MiniBlock(sequence: SequenceDecoder, bits: Int) extends MiniBlockDecoder {
    val numBuffers: Int = if (sequence.hasPayload) 2 else 1
    private val offsets = Values.allocate(FixedWidth(bits))
    private var narrow = Array.emptyIntArray
    // the chunk whose offsets are decoded: its bytes, and how many values it has
    private var chunk: Buffer = Buffer.empty
    private var chunkValues = -1

    def decode(buffers: Array[Buffer], numValues: Int, from: Int, count: Int, out: Values): Unit = {
      Messages.checkNumBuffers("Variable", buffers, numBuffers)
      Messages.checkSlice(numValues, from, count)
      val bytes = buffers(numBuffers - 1)
      val goesOn = from > 0 && chunkValues == numValues && (bytes.array eq chunk.array) &&
        bytes.offset == chunk.offset && bytes.length == chunk.length
      if (!goesOn) {
        chunkValues = -1
        load(if (sequence.hasPayload) buffers(0) else Buffer.empty, numValues, bytes.length)
        chunk = bytes
        chunkValues = numValues
      }
      append(bytes, from, count, out.asInstanceOf[BinaryValues])
    }

    private def load(payload: Buffer, numValues: Int, numBytes: Int): Unit = {
      offsets.clear()
      sequence.decode(payload, numValues + 1, offsets)
      offsets match {
        case v: IntValues => narrow = v.array
        case v: LongValues =>
          if (narrow.length <= numValues) narrow = new Array(numValues + 1)
          var i = 0
          while (i <= numValues) { // what no buffer has becomes negative
            narrow(i) = if ((v.array(i) >>> 31) == 0) v.array(i).toInt else -1
            i += 1
          }
        case other =>
          throw new CorruptFileException(s"offsets as ${other.getClass.getSimpleName}")
      }
      var falls = narrow(0)
      var i = 0
      while (i < numValues) {
        falls |= narrow(i + 1) | (narrow(i + 1) - narrow(i))
        i += 1
      }
      if (falls < 0 || narrow(0) != 0 || narrow(numValues) != numBytes)
        throw new CorruptFileException(
          s"offsets of $numValues values that do not rise from 0 to the $numBytes bytes of their chunk"
        )
    }

    private def append(bytes: Buffer, from: Int, count: Int, out: BinaryValues): Unit = {
      out.reserve(count)
      val base = out.numBytes
      val at = out.numItems
      val first = narrow(from)
      val numBytes = narrow(from + count) - first
      out.reserveBytes(base, numBytes.toLong)
      System.arraycopy(bytes.array, bytes.offset + first, out.bytes, base, numBytes)
      val shift = base - first
      var i = 1
      while (i <= count) {
        out.offsets(at + i) = narrow(from + i) + shift
        i += 1
      }
      out.extend(count)
    }
  }
}
