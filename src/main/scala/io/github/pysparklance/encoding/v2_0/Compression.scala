// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.CompressedBuffers
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi.{GeneralScheme, PageBuffers}

/** A buffer compressed in one piece by a general-purpose compressor. Source: message `Compression`,
  * encodings_v2_0.proto; the bytes are the same as for `General` in 2.1.
  *
  * {{{
  *   zstd   u64 plain length | one frame      early releases: bare frames, recognized by their magic number
  *   lz4    u32 plain length | one block
  *   none   plain
  * }}}
  * An empty buffer decompresses to an empty buffer.
  */
object Compression {

  private[v2_0] def isUsed(message: pb.Flat): Boolean =
    message.hasCompression && message.getCompression.getScheme != "none"

  /** Decompresses a buffer.
    *
    * @param maxPlain maximum bytes of the values; a buffer that declares more is corrupt and not
    *   allocated
    * @throws UnsupportedFeatureException for a scheme that 2.0 pages do not have
    */
  private[v2_0] def decompress(message: pb.Compression, in: Buffer, maxPlain: Long): Buffer = {
    val decompressor = message.getScheme match {
      case "zstd" => CompressedBuffers.zstdDecompressor()
      case "lz4" => CompressedBuffers.lz4Decompressor()
      case other => throw new UnsupportedFeatureException(s"compression scheme '$other'")
    }
    if (in.length == 0) in else decompressor.decompress(in, maxPlain)
  }

  /** Encodes the bytes of strings, compressed in one piece. Writes zstd in the form that all
    * releases read.
    */
  private[encoding] def encode(
      plain: Buffer,
      scheme: GeneralScheme,
      buffers: PageBuffers
  ): pb.ArrayEncoding =
    if (plain.length == 0) Flat.encodeBytes(plain, None, buffers)
    else {
      val message = pb.Compression.newBuilder()
      val bytes = scheme match {
        case GeneralScheme.Lz4 =>
          message.setScheme("lz4")
          CompressedBuffers.compressLz4(plain)
        case GeneralScheme.Zstd(level) =>
          message.setScheme("zstd")
          if (level != 0) message.setLevel(level)
          val prefixed = CompressedBuffers.compressZstd(plain, level)
          prefixed.slice(8, prefixed.length - 8L)
      }
      Flat.encodeBytes(bytes, Some(message.build()), buffers)
    }
}
