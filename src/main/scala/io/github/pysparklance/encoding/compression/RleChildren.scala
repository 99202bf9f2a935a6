// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.bitpacking.{
  BitpackingKernel,
  OutOfLineBitpacking
}
import io.github.pysparklance.encoding.proto.v2_1
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding.CompressionCase
import io.github.pysparklance.encoding.value.Messages

/** The legal encodings of values and run lengths of an `Rle`: plain, and since 2.3 also compressed.
  * Source: format page of the compressive encodings, "RLE", "Children".
  */
sealed private[encoding] trait RleChildren {

  /** @throws UnsupportedFeatureException for an encoding that is not legal here */
  private[compression] def child(name: String, encoding: CompressiveEncoding): RleChild
}

private[encoding] object RleChildren {

  /** Only `Flat`. */
  case object Plain extends RleChildren {
    private[compression] def child(name: String, encoding: CompressiveEncoding): RleChild =
      new RleChild(Messages.flatBits(name, encoding), None, None)
  }

  /** Also `General`, bit-packing, or both. */
  case object Compressed extends RleChildren {
    private[compression] def child(name: String, encoding: CompressiveEncoding): RleChild =
      encoding.getCompressionCase match {
        case CompressionCase.GENERAL =>
          val general = encoding.getGeneral
          val decompressor = CompressedBuffers.decompressor(general.getCompression)
          inner(name, general.getValues, Some(decompressor))
        case _ => inner(name, encoding, None)
      }

    private def inner(
        name: String,
        encoding: CompressiveEncoding,
        decompressor: Option[CompressedBuffers.Decompressor]
    ): RleChild = encoding.getCompressionCase match {
      case CompressionCase.OUT_OF_LINE_BITPACKING =>
        val packed = encoding.getOutOfLineBitpacking
        val bits = packed.getUncompressedBitsPerValue
        CorruptFileException.check(
          bits == 8 || bits == 16 || bits == 32 || bits == 64,
          s"$name of ${java.lang.Long.toUnsignedString(bits)} bits"
        )
        new RleChild(bits.toInt, decompressor, Some(packed))
      case _ => new RleChild(Messages.flatBits(name, encoding), decompressor, None)
    }
  }
}

/** Decodes the buffer of a child to plain bytes. The next call may reuse their array. Not
  * thread-safe.
  *
  * @param bits bits of a plain value or run length
  */
final private[compression] class RleChild(
    val bits: Int,
    decompressor: Option[CompressedBuffers.Decompressor],
    packed: Option[v2_1.OutOfLineBitpacking]
) {

  /** Whether the caller must pass the number of runs, because packed bits do not contain it. */
  val needsCount: Boolean = packed.isDefined

  /** Returns the plain bytes.
    *
    * @param numRuns ignored unless [[needsCount]]
    * @param mostRuns a larger number of runs is corrupt
    */
  def plain(buffer: Buffer, numRuns: Int, mostRuns: Int): Buffer = {
    val mostBytes = (mostRuns.toLong + BitpackingKernel.blockValues) * (bits / 8)
    val bytes = decompressor.fold(buffer)(_.decompress(buffer, mostBytes))
    packed.fold(bytes) { message =>
      val out = Values.allocate(FixedWidth(bits))
      OutOfLineBitpacking.block(message, FixedWidth(bits)).decode(bytes, numRuns, out)
      Buffer(Flat.plainBytes(out, bits))
    }
  }
}
