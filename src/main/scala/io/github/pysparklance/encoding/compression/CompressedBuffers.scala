// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import java.io.{ByteArrayInputStream, IOException}

import scala.util.Using

import com.github.luben.zstd.{Zstd, ZstdCompressCtx, ZstdException, ZstdInputStreamNoFinalizer}
import net.jpountz.lz4.{LZ4Exception, LZ4Factory}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_1.{BufferCompression, CompressionScheme}
import io.github.pysparklance.encoding.spi.GeneralScheme
import io.github.pysparklance.encoding.value.Messages

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
  private val maxPlainBytes = Values.maxArrayLength.toLong

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
        val framed = Zstd.decompressedSize(in.array, in.offset + 8, in.length - 8)
        if (framed > 0) checkPlain("ZSTD", in, framed, declared)
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

  /** Applies one scheme to one buffer after another. Not thread-safe; closed when the page is done. */
  sealed abstract class Compressor(val message: BufferCompression) extends AutoCloseable {

    /** Most bytes that `length` plain ones become, the plain length in front counted. */
    def maxLength(length: Int): Long

    /** Compresses `in[from, from + length)` to `out` from `at` on, where there is room for the most; answers where it
      * ends.
      */
    def compress(in: Array[Byte], from: Int, length: Int, out: Array[Byte], at: Int): Int

    def close(): Unit = ()

    /** The buffer in an array of its own. */
    final def compress(in: Buffer): Buffer = {
      val out = new Array[Byte](Messages.arrayLength(maxLength(in.length)))
      val end = compress(in.array, in.offset, in.length, out, 0)
      Buffer(java.util.Arrays.copyOf(out, end))
    }
  }

  def compressor(scheme: GeneralScheme): Compressor = scheme match {
    case GeneralScheme.Lz4 => new Lz4Compressor
    case GeneralScheme.Zstd(level) => new ZstdCompressor(level)
  }

  final private class Lz4Compressor extends Compressor(lz4Message) {
    private val blocks = lz4.fastCompressor()

    def maxLength(length: Int): Long = 4L + blocks.maxCompressedLength(length)

    def compress(in: Array[Byte], from: Int, length: Int, out: Array[Byte], at: Int): Int = {
      Buffer.putInt(out, at, length)
      at + 4 + blocks.compress(in, from, length, out, at + 4)
    }
  }

  final private class ZstdCompressor(level: Int) extends Compressor(zstdMessage(level)) {
    // a context for all chunks of a page: to make one for each takes longer than to compress it
    private val context = new ZstdCompressCtx
    context.setLevel(if (level == 0) Zstd.defaultCompressionLevel() else level)

    def maxLength(length: Int): Long = 8L + Zstd.compressBound(length.toLong)

    def compress(in: Array[Byte], from: Int, length: Int, out: Array[Byte], at: Int): Int = {
      Buffer.putLong(out, at, length.toLong)
      at + 8 + context.compressByteArray(out, at + 8, out.length - at - 8, in, from, length)
    }

    override def close(): Unit = context.close()
  }

  def lz4Message: BufferCompression =
    BufferCompression.newBuilder.setScheme(CompressionScheme.COMPRESSION_ALGORITHM_LZ4).build

  /** @param level 0 is the library's own choice */
  def zstdMessage(level: Int): BufferCompression =
    BufferCompression.newBuilder
      .setScheme(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
      .setLevel(level)
      .build

  def zstdMessage: BufferCompression = zstdMessage(0)

  def compressLz4(in: Buffer): Buffer = compress(in, GeneralScheme.Lz4)

  def compressZstd(in: Buffer, level: Int): Buffer = compress(in, GeneralScheme.Zstd(level))

  def compress(in: Buffer, scheme: GeneralScheme): Buffer =
    Using.resource(compressor(scheme))(_.compress(in))
}
