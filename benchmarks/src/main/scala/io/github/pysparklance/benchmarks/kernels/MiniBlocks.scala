// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import java.util.SplittableRandom

import io.github.pysparklance.benchmarks.kernels.Target.OfCopy
import io.github.pysparklance.core._
import io.github.pysparklance.encoding.Compressions
import io.github.pysparklance.encoding.compression.bitpacking.InlineBitpacking
import io.github.pysparklance.encoding.compression.{ByteStreamSplit, Flat, Rle}
import io.github.pysparklance.encoding.spi._

/** Kernels that decode the chunks of a mini-block page. */
private[kernels] object MiniBlocks {

  def kernel(
      compressed: CompressedMiniBlock,
      valueType: ValueType,
      source: Values,
      outBytes: Int
  ): Kernel = {
    val decoder = Compressions.miniBlock(compressed.encoding, valueType)
    val chunks = compressed.chunks.map(_.buffers.toArray).toArray
    val sizes = compressed.chunks.map(_.numValues).toArray
    val out = Values.allocate(valueType)
    def run(): Values = {
      out.clear()
      var i = 0
      while (i < chunks.length) {
        decoder.decode(chunks(i), sizes(i), 0, sizes(i), out)
        i += 1
      }
      out
    }
    Kernel(sizes.sum, outBytes, () => run(), Some(source))
  }

  /** A kernel for values of `bits` bits. */
  def fixed(bits: Int, value: Int => Long)(encode: Values => CompressedMiniBlock): Kernel = {
    val values = Kernels.fixed(bits, Kernels.OutBytes * 8 / math.max(8, bits))(value)
    kernel(encode(values), FixedWidth(bits), values, Kernels.OutBytes)
  }
}

/** `InlineBitpacking`: the case is the width that the values are packed to. */
private[kernels] object BitpackingKernels {
  def all: Seq[Kernels] = Seq(8, 16, 32, 64).map(new Unpack(_))

  final private class Unpack(bits: Int)
      extends Kernels(s"bitpacking-u$bits", (1 to bits).map(_.toString), Some(OfCopy(0.35))) {
    def make(width: String): Kernel = {
      val random = new SplittableRandom(42)
      MiniBlocks.fixed(bits, _ => random.nextLong() >>> (64 - width.toInt)) { values =>
        val widths = Array.fill(values.numItems / 1024)(width.toByte)
        InlineBitpacking.encodeMiniBlock(values, bits, widths)
      }
    }
  }
}

/** `Rle`: the case is the mean length of the runs, whose lengths are random. */
private[kernels] object RleKernels {
  def all: Seq[Kernels] = Seq(8, 16, 32, 64).map(new Runs(_))

  final private class Runs(bits: Int)
      extends Kernels(s"rle-u$bits", Seq("10", "100", "1000"), Some(OfCopy(0.5))) {
    def make(length: String): Kernel = {
      val random = new SplittableRandom(42)
      var left = 0
      var value = 0L
      def next(): Long = {
        if (left == 0) {
          left = 1 + random.nextInt(2 * length.toInt - 1)
          value = random.nextLong()
        }
        left -= 1
        value
      }
      MiniBlocks.fixed(bits, _ => next())(Rle.encodeMiniBlock(_, bits))
    }
  }
}

/** `Flat` and `ByteStreamSplit`: the case is the width in bits. */
private[kernels] object FlatKernels {
  def all: Seq[Kernels] = Seq(Plain, Split)

  private object Plain
      extends Kernels("flat", Seq("8", "16", "32", "64", "128"), Some(OfCopy(0.5))) {
    def make(of: String): Kernel = {
      val random = new SplittableRandom(42)
      MiniBlocks.fixed(of.toInt, _ => random.nextLong())(Flat.encodeMiniBlock(_, of.toInt))
    }
  }

  /** Bits that are unpacked to bytes. */
  def booleans(): Kernel = {
    val random = new SplittableRandom(42)
    MiniBlocks.fixed(1, _ => random.nextLong() & 1)(Flat.encodeMiniBlock(_, 1))
  }

  /** The case is the width in bits. The last case has 32-bit values in 64 bits, like keys. */
  private object Split
      extends Kernels("byte-stream-split", Seq("32", "64", "64-small"), None) {
    def make(of: String): Kernel = {
      val random = new SplittableRandom(42)
      val bits = of.stripSuffix("-small").toInt
      val unused = if (of.endsWith("-small")) 32 else 0
      MiniBlocks.fixed(bits, _ => random.nextLong() >>> unused)(
        ByteStreamSplit.encodeMiniBlock(_, bits)
      )
    }
  }
}
