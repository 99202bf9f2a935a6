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

/** Buffers compressed by a general-purpose compressor, in the form of `General`. Source: message
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

  /** Limit of plain bytes for strings, whose number of values does not limit their bytes. */
  private val maxPlainBytes = Values.maxArrayLength.toLong

  /** Maximum expansion of zstd: a block has at most 128 KiB plain bytes and at least 3 compressed
    * bytes.
    */
  private val maxZstdGrowth = (128L << 10) / 3 + 1

  private lazy val lz4 = LZ4Factory.fastestInstance()

  /** Decompresses buffers of one scheme. Reuses its output array; not thread-safe. */
  sealed abstract class Decompressor {
    protected var plain: Array[Byte] = Array.emptyByteArray

    /** Decompresses a buffer.
      *
      * @param maxPlain maximum bytes of the values; a buffer that declares more is corrupt and not
      *   allocated
      * @return the plain bytes, valid until the next call
      */
    def decompress(in: Buffer, maxPlain: Long): Buffer

    protected def allocate(scheme: String, declared: Long, in: Buffer, maxPlain: Long): Unit = {
      if (declared < 0 || declared > math.min(maxPlain, maxPlainBytes))
        throw new CorruptFileException(
          s"$scheme buffer of ${in.length} bytes declares $declared plain bytes, expected at most " +
            s"${math.min(maxPlain, maxPlainBytes)}"
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
          s"$scheme buffer of ${in.length} bytes has $found plain bytes, but its header declares $declared"
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
      // the maximum expansion of a block is 255-fold
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
        // the frame and the header must agree before anything is allocated
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

    /** Whether the buffer is a frame without a length. Frames start with a magic number, which
      * would be a huge length unless the reserved bit 4 of the next byte is set.
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
              s"ZSTD buffer of ${in.length} bytes has more than $maxPlain plain bytes"
            )
        }
      } catch { case e: IOException => throw damaged("ZSTD", in, e) }
      finally stream.close()
      new Buffer(plain, 0, used)
    }
  }

  /** Compresses buffers with one scheme. Not thread-safe; must be closed. */
  sealed abstract class Compressor(val message: BufferCompression) extends AutoCloseable {

    /** Returns the maximum compressed bytes of `length` plain ones, including the length header. */
    def maxLength(length: Int): Long

    /** Compresses `in[from, from + length)` to `out` from `at` on, where [[maxLength]] bytes must
      * be available. Returns the end of the output.
      */
    def compress(in: Array[Byte], from: Int, length: Int, out: Array[Byte], at: Int): Int

    def close(): Unit = ()

    /** Compresses a buffer into a new array. */
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
    // shared by all chunks of a page: creating a context takes longer than compressing a chunk
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

  /** @param level 0 is the library's default */
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
