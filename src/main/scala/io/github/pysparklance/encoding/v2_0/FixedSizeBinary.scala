// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.RawValues

/** Strings and binaries of equal length. Source: message `FixedSizeBinary`, encodings_v2_0.proto.
  *
  * {{{
  *   bytes   value i is the bytes [i * byte_width, (i + 1) * byte_width)
  * }}}
  * It has no nulls itself. No release is known to write it in 2.0 pages; values of fixed-size
  * binary type are encoded as Flat. Hot code.
  */
object FixedSizeBinary {

  def decoder(
      message: pb.FixedSizeBinary,
      numValues: Long,
      valueType: ValueType,
      chooser: ArrayChooser
  ): ArrayDecoder = {
    val width = message.getByteWidth
    valueType match {
      case VariableWidth(_) if width >= 0 => ()
      case FixedWidth(bits) if bits == width * 8L && width > 0 => ()
      case other =>
        throw Trees.contradiction(
          s"FixedSizeBinary of ${Integer.toUnsignedString(width)} bytes",
          other
        )
    }
    val numBytes = Trees.times(numValues, width.toLong)
    new Node(chooser.decoder(message.getBytes, numBytes, FixedWidth(8)), width)
  }

  final private class Node(bytes: ArrayDecoder, width: Int) extends OneChildDecoder(bytes) {
    def bitsPerValue: Long = Trees.times(bytes.bitsPerValue, width.toLong)
    def yieldsNulls: Boolean = false

    def read(values: RowRange): ArrayRead =
      new Read(bytes.read(RowRange(values.from * width, values.until * width)), width)
  }

  final private class Read(bytesRead: ArrayRead, width: Int) extends OneChildRead(bytesRead) {

    def decode(numValues: Int, out: NullableValues): Unit = {
      val numBytes = Math.multiplyExact(numValues, width)
      val in = if (numBytes == 0) Buffer.empty else bytesRead.bytes(numBytes)
      out.values match {
        case v: BinaryValues =>
          v.reserve(numValues)
          v.reserveBytes(numBytes.toLong)
          val first = v.numBytes
          in.copyBytes(0, v.bytes, first, numBytes)
          var i = 1
          while (i <= numValues) {
            v.offsets(v.numItems + i) = first + i * width
            i += 1
          }
          v.extend(numValues)
        case v => RawValues.append(in.array, in.offset, width * 8, 0, numValues, v)
      }
    }
  }
}
