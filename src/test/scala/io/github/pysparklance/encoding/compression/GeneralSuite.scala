// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression

import com.github.luben.zstd.Zstd

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.proto.v2_1.BufferCompression
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.value.Messages
import io.github.pysparklance.testkit.{EncodingSuite, TestRun, ValuesGenerators}

class GeneralSuite extends EncodingSuite {
  override protected def numSamples = 15
  import ValuesGenerators.contents

  private type Compressor = Buffer => Buffer
  private val schemes = Seq[(String, BufferCompression, Compressor)](
    ("LZ4", CompressedBuffers.lz4Message, CompressedBuffers.compressLz4),
    ("ZSTD", CompressedBuffers.zstdMessage, CompressedBuffers.compressZstd(_, 3)),
    ("bare ZSTD", CompressedBuffers.zstdMessage, b => Buffer(Zstd.compress(b.toBytes)))
  )

  private def wrap(
      plain: CompressedMiniBlock,
      by: BufferCompression,
      compress: Compressor
  ): CompressedMiniBlock =
    CompressedMiniBlock(
      Messages.general(by, plain.encoding),
      plain.chunks.map(c => c.copy(buffers = compress(c.buffers.head) +: c.buffers.tail))
    )

  for ((name, by, compress) <- schemes) {
    test(s"$name around the chunks of other encodings") {
      forAllValues(32) { values =>
        Seq(
          Flat.encodeMiniBlock(values, 32),
          Rle.encodeMiniBlock(values, 32),
          ByteStreamSplit.encodeMiniBlock(values, 32)
        ).foreach {
          plain =>
            val compressed = wrap(plain, by, compress)
            checkMiniBlock(compressed, values, FixedWidth(32))
            checkDamage(compressed, FixedWidth(32))
        }
      }
    }

    test(s"$name around chunks of strings") {
      forAllStrings { values =>
        val compressed = wrap(Variable.encodeMiniBlock(values, 32), by, compress)
        checkMiniBlock(compressed, values, VariableWidth(32))
        checkDamage(compressed, VariableWidth(32))
      }
    }

    test(s"$name around blocks") {
      forAllStrings { values =>
        val plain = Variable.encodeBlock(values, 32)
        val block = CompressedBlock(Messages.general(by, plain.encoding), compress(plain.bytes))
        assert(contents(decodeBlock(block, values.numItems, VariableWidth(32))) == contents(values))
        checkDamage(block, values.numItems, VariableWidth(32))
      }
    }

    test(s"$name around each value") {
      forAllStrings { values =>
        val decoder = Compressions.variablePerValue(
          Messages.general(by, Variable.message(32)),
          VariableWidth(32)
        )
        val out = new BinaryValues
        (0 until math.min(values.numItems, 50)).foreach { i =>
          val value = Buffer(values.bytes).slice(
            values.offsets(i).toLong,
            (values.offsets(i + 1) - values.offsets(i)).toLong
          )
          val compressed = if (value.length == 0) value else shifted(compress(value))
          decoder.decode(compressed.array, compressed.offset, compressed.length, out)
        }
        assert(contents(out) == contents(values).take(50))
      }
    }
  }

  private def wide(n: Int, mask: Long): WideValues = {
    val random = new scala.util.Random(3)
    val values = new WideValues(16)
    (0 until n).foreach { _ =>
      val at = values.extend(1)
      Buffer.putLong(values.bytes, at, random.nextLong() & mask)
      Buffer.putLong(values.bytes, at + 8, if (mask == -1L) random.nextLong() else 0L)
    }
    values
  }

  for (scheme <- Seq(GeneralScheme.Lz4, GeneralScheme.Zstd(0), GeneralScheme.Zstd(-2)))
    test(
      s"chunks and values compressed by the writer's $scheme, and its estimate of the compressed size"
    ) {
      val small = wide(5000, 0xffffffL)
      val plain = Flat.encodeMiniBlock(small, 128, 1024)
      val compressed = General.encodeMiniBlock(plain, scheme)
      assert(compressed.sizeInBytes * 2 < plain.sizeInBytes)
      checkMiniBlock(compressed, small, FixedWidth(128))
      checkDamage(compressed, FixedWidth(128))

      forAllStrings { values =>
        val zipped = General.encodePerValue(values, 32, scheme)
        val decoder = Compressions.variablePerValue(zipped.encoding, VariableWidth(32))
        val out = new BinaryValues
        (0 until values.numItems).foreach { i =>
          val from = zipped.values.offsets(i)
          decoder.decode(zipped.values.bytes, from, zipped.values.offsets(i + 1) - from, out)
        }
        assert(contents(out) == contents(values))
      }
    }

  test("golden bytes: a dictionary of three strings under LZ4") {
    val bytes =
      "24000000 | 62 20000000180001 00 f009 03000000080000000c000000726564677265656e626c7565"
    val encoding = Messages.general(CompressedBuffers.lz4Message, Variable.message(32))
    val decoded = decodeBlock(CompressedBlock(encoding, Buffer(hex(bytes))), 3, VariableWidth(32))
    assert(contents(decoded) == contents(strings("red", "green", "blue")))
  }

  test("a claimed plain size larger than the values is rejected before allocation") {
    val lz4 = Messages.general(CompressedBuffers.lz4Message, Messages.flat(32))
    val zstd = Messages.general(CompressedBuffers.zstdMessage, Messages.flat(32))
    Seq(
      lz4 -> "ffffff7f 00000000",
      zstd -> "ffffffff00000000 28b52ffd",
      zstd -> "ffffffffffffff7f 28b52ffd"
    ).foreach {
      case (encoding, bytes) =>
        val decoder = Compressions.miniBlock(encoding, FixedWidth(32))
        val e = intercept[CorruptFileException](decoder.decode(
          Array(Buffer(hex(bytes))),
          4,
          0,
          4,
          new IntValues
        ))
        assert(e.problem.contains("declares"))
    }
  }

  test("a chunk that is read in parts is decompressed once") {
    val plain = ints(0 until 1000: _*)
    val compressed = wrap(
      Flat.encodeMiniBlock(plain, 32),
      CompressedBuffers.lz4Message,
      CompressedBuffers.compressLz4
    )
    val decoder = Compressions.miniBlock(compressed.encoding, FixedWidth(32))
    val bytes = compressed.chunks.head.buffers.head.toBytes
    val chunk = Array(Buffer(bytes))
    val out = new IntValues
    decoder.decode(chunk, 1000, 0, 400, out)
    java.util.Arrays.fill(bytes, 0.toByte) // decompressed bytes are not read again
    decoder.decode(chunk, 1000, 400, 600, out)
    assert(contents(out) == contents(plain))
    assertThrows[CorruptFileException](decoder.decode(chunk, 1000, 0, 10, out))
  }

  test("under a nested General, each chunk can be read from any value on") {
    val random = new scala.util.Random(TestRun.seed)
    val values = ints(Seq.fill(2048)(random.nextInt()): _*)
    val once = wrap(
      Flat.encodeMiniBlock(values, 32, 1024),
      CompressedBuffers.lz4Message,
      CompressedBuffers.compressLz4
    )
    val twice = wrap(once, CompressedBuffers.lz4Message, CompressedBuffers.compressLz4)
    assert(once.chunks.map(_.buffers.head.length).distinct.length == 1, "chunks of one length")
    checkMiniBlock(twice, values, FixedWidth(32))
    val decoder = Compressions.miniBlock(twice.encoding, FixedWidth(32))
    val out = new IntValues
    twice.chunks.foreach(c => decoder.decode(c.buffers.toArray, 1024, 0, 10, out))
    twice.chunks.foreach(c => decoder.decode(c.buffers.toArray, 1024, 10, 20, out))
    val all = contents(values)
    assert(contents(out) ==
      Seq(0 -> 10, 1024 -> 1034, 10 -> 30, 1034 -> 1054).flatMap { case (a, b) =>
        all.slice(a, b)
      })
  }
}
