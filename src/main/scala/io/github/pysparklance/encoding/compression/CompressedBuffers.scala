// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import java.io.{ByteArrayInputStream, IOException}

import com.github.luben.zstd.{Zstd, ZstdException, ZstdInputStreamNoFinalizer}
import net.jpountz.lz4.{LZ4Exception, LZ4Factory}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.{BufferCompression, CompressionScheme}

/** A buffer under a general-purpose compressor, as `General` wraps it. Source: message
  * `BufferCompression`, format page of the compressive encodings, "General".
  *
  * {{{
  *   LZ4    u32 plain length | one LZ4 block (not a frame)
  *   ZSTD   u64 plain length | one zstd frame          writers before mid-2025: the frame alone
  *
  *   82060000 | ff 01 0d 00 ...                        0x682 = 1666 plain bytes
  * }}}
  */
private[encoding] object CompressedBuffers {

  /** Plain bytes that a buffer may have when its values do not bound them: strings. */
  private val maxPlainBytes = 1L << 30

  /** A block of zstd has 128 KiB at most, and takes 3 bytes at least. */
  private val maxZstdGrowth = (128L << 10) / 3 + 1

  private lazy val lz4 = LZ4Factory.fastestInstance()

  /** Undoes one scheme. Its output array is reused; not thread-safe. */
  sealed abstract class Decompressor {
    protected var plain: Array[Byte] = Array.emptyByteArray

    /** @param maxPlain most bytes that the values can take; a buffer that claims more is corrupt
      * and not allocated
      * @return the plain bytes, valid until the next call
      */
    def decompress(in: Buffer, maxPlain: Long): Buffer

    protected def allocate(scheme: String, declared: Long, in: Buffer, maxPlain: Long): Unit = {
      if (declared < 0 || declared > math.min(maxPlain, maxPlainBytes))
        throw new CorruptFileException(
          s"$scheme buffer of ${in.length} bytes claims $declared plain bytes, at most ${math.min(maxPlain, maxPlainBytes)} expected"
        )
      if (plain.length < declared)
        plain = new Array[Byte](Values.grownCapacity(plain.length, declared))
    }

    protected def damaged(scheme: String, in: Buffer, cause: Throwable): CorruptFileException =
      new CorruptFileException(
        s"$scheme buffer of ${in.length} bytes: ${cause.getMessage}",
        cause = cause
      )

    protected def checkPlain(scheme: String, in: Buffer, found: Long, declared: Long): Unit =
      if (found != declared)
        throw new CorruptFileException(
          s"$scheme buffer of ${in.length} bytes has $found plain bytes, its header says $declared"
        )
  }

  def decompressor(compression: BufferCompression): Decompressor = compression.getScheme match {
    case CompressionScheme.COMPRESSION_ALGORITHM_LZ4 => lz4Decompressor()
    case CompressionScheme.COMPRESSION_ALGORITHM_ZSTD => zstdDecompressor()
    case _ =>
      throw new UnsupportedFeatureException(s"compression scheme ${compression.getSchemeValue}")
  }

  def lz4Decompressor(): Decompressor = new Lz4Decompressor

  def zstdDecompressor(): Decompressor = new ZstdDecompressor

  final private class Lz4Decompressor extends Decompressor {
    private val blocks = lz4.safeDecompressor()

    def decompress(in: Buffer, maxPlain: Long): Buffer = {
      val declared = in.u32(0)
      // a block grows at most 255-fold
      allocate("LZ4", declared, in, math.min(maxPlain, (in.length - 4) * 255L))
      val found =
        try blocks.decompress(in.array, in.offset + 4, in.length - 4, plain, 0, declared.toInt)
        catch { case e: LZ4Exception => throw damaged("LZ4", in, e) }
      checkPlain("LZ4", in, found.toLong, declared)
      new Buffer(plain, 0, found)
    }
  }

  final private class ZstdDecompressor extends Decompressor {

    def decompress(in: Buffer, maxPlain: Long): Buffer =
      if (in.length == 0) Buffer.empty
      else if (isBare(in)) decompressStream(in, math.min(maxPlain, maxPlainBytes))
      else {
        val declared = in.u63(0, "the plain length of a ZSTD buffer")
        CorruptFileException.check(in.length > 8, "ZSTD buffer without a frame")
        // two places claim the same, before anything is allocated on account of them
        val framed = Zstd.getFrameContentSize(in.array, in.offset + 8, in.length - 8)
        if (framed >= 0) checkPlain("ZSTD", in, framed, declared)
        allocate("ZSTD", declared, in, math.min(maxPlain, (in.length - 8) * maxZstdGrowth))
        val found =
          try Zstd.decompressByteArray(
              plain,
              0,
              declared.toInt,
              in.array,
              in.offset + 8,
              in.length - 8
            )
          catch { case e: ZstdException => throw damaged("ZSTD", in, e) }
        if (Zstd.isError(found))
          throw new CorruptFileException(
            s"ZSTD buffer of ${in.length} bytes: ${Zstd.getErrorName(found)}"
          )
        checkPlain("ZSTD", in, found, declared)
        new Buffer(plain, 0, declared.toInt)
      }

    /** A frame starts with its magic number; as a length that would be huge but for the reserved
      * bit 4 of the next byte.
      */
    private def isBare(in: Buffer): Boolean =
      in.length < 8 || (in.i32(0) == 0xfd2fb528 && (in.u8(4) & 0x10) == 0)

    private def decompressStream(in: Buffer, maxPlain: Long): Buffer = {
      val stream =
        new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(in.array, in.offset, in.length))
      var used = 0
      try {
        var more = true
        while (more) {
          if (used == plain.length)
            plain = java.util.Arrays.copyOf(plain, Values.grownCapacity(plain.length, used + 4096L))
          val n = stream.read(plain, used, plain.length - used)
          if (n > 0) used += n else more = false
          if (used > maxPlain)
            throw new CorruptFileException(
              s"ZSTD buffer of ${in.length} bytes has more than the $maxPlain plain bytes expected"
            )
        }
      } catch { case e: IOException => throw damaged("ZSTD", in, e) }
      finally stream.close()
      new Buffer(plain, 0, used)
    }
  }

  def lz4Message: BufferCompression =
    BufferCompression.newBuilder.setScheme(CompressionScheme.COMPRESSION_ALGORITHM_LZ4).build

  /** Zstd at the level that the library takes for 0. */
  def zstdMessage: BufferCompression =
    BufferCompression.newBuilder.setScheme(
      CompressionScheme.COMPRESSION_ALGORITHM_ZSTD
    ).setLevel(0).build

  def compressLz4(in: Buffer): Buffer = {
    val compressor = lz4.fastCompressor()
    val out = new Array[Byte](Messages.arrayLength(4L + compressor.maxCompressedLength(in.length)))
    Buffer.putInt(out, 0, in.length)
    val n = compressor.compress(in.array, in.offset, in.length, out, 4)
    new Buffer(out, 0, 4 + n)
  }

  def compressZstd(in: Buffer, level: Int): Buffer = {
    val out = new Array[Byte](Messages.arrayLength(8L + Zstd.compressBound(in.length.toLong)))
    Buffer.putLong(out, 0, in.length.toLong)
    val n = Zstd.compressByteArray(out, 8, out.length - 8, in.array, in.offset, in.length, level)
    new Buffer(out, 0, 8 + n.toInt)
  }
}
