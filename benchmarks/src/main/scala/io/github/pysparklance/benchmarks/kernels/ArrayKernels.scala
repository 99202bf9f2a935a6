// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import java.util.SplittableRandom

import com.google.protobuf.{Any => ProtobufAny}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.ArrayEncodings
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** Pages of file version 2.0; strings have 20 bytes. */
private[kernels] object ArrayKernels {
  def all: Seq[Kernels] = Seq(Pages)

  private val NumValues = 8192

  private def cases: Seq[String] =
    Seq("flat", "nulls", "binary", "dictionary", "indices", "list", "bitpacked")

  private object Pages extends Kernels("2.0", cases, None) {
    def make(of: String): Kernel = page(of)
  }

  /** Reads a complete page, from byte ranges to values. */
  def page(name: String): Kernel = {
    val made = encoded(name)
    val buffers = made.buffers.map(Buffer(_)).toArray
    val any = ProtobufAny.newBuilder
      .setTypeUrl(ArrayEncodings.ArrayEncodingUrl)
      .setValue(made.encoding.toByteString)
      .build
      .toByteArray
    val sizes = buffers.toIndexedSeq.map(_.length.toLong)
    val decoder =
      if (name == "list") ArrayEncodings.lists(any, NumValues, sizes, sizes.length)
      else ArrayEncodings.values(
        any,
        NumValues,
        sizes,
        sizes.length,
        made.valueType,
        isDictionary = false
      )
    decoder.open(buffers)
    val values = if (name == "indices") new IntValues else Values.allocate(made.valueType)
    val out = new NullableValues(values)
    def run(): NullableValues = {
      out.clear()
      val read = decoder.read(RowRange(0, NumValues))
      var needs = read.needs
      while (needs.nonEmpty) {
        read.supply(needs.map(r => buffers(r.buffer).slice(r.offset, r.length)))
        needs = read.needs
      }
      read match {
        case indices: DictionaryRead if name == "indices" => indices.decodeIndices(NumValues, out)
        case _ => read.decode(NumValues, out)
      }
      out
    }
    Kernel(NumValues, run().values.sizeInBytes.toInt, () => run())
  }

  private case class Page(
      valueType: ValueType,
      encoding: pb.ArrayEncoding,
      buffers: IndexedSeq[Array[Byte]]
  )

  private def flat(bits: Int, at: Int): pb.ArrayEncoding = {
    val buffer = pb.Buffer.newBuilder.setBufferIndex(at)
    val message = pb.Flat.newBuilder.setBitsPerValue(bits.toLong).setBuffer(buffer)
    pb.ArrayEncoding.newBuilder.setFlat(message).build
  }

  private def longs(n: Int)(value: Int => Long): Array[Byte] = {
    val bytes = new Array[Byte](8 * n)
    (0 until n).foreach(i => Buffer.putLong(bytes, 8 * i, value(i)))
    bytes
  }

  private def encoded(name: String): Page = {
    val random = new SplittableRandom(42)
    def bytes(n: Int): Array[Byte] = {
      val b = new Array[Byte](n)
      random.nextBytes(b)
      b
    }
    val e = pb.ArrayEncoding.newBuilder
    name match {
      case "flat" => Page(FixedWidth(64), flat(64, 0), IndexedSeq(bytes(8 * NumValues)))
      case "nulls" =>
        val some = pb.Nullable.SomeNull.newBuilder.setValidity(flat(1, 0)).setValues(flat(64, 1))
        e.setNullable(pb.Nullable.newBuilder.setSomeNulls(some)): Unit
        Page(FixedWidth(64), e.build, IndexedSeq(bytes(NumValues / 8), bytes(8 * NumValues)))
      case "binary" =>
        val adjustment = NumValues * 20L + 1
        val ends = longs(NumValues) { i =>
          // every tenth value is null, with the bytes of the previous string
          (i + 1 - (i + 10) / 10) * 20L + (if (i % 10 == 0) adjustment else 0L)
        }
        val message = pb.Binary.newBuilder.setIndices(flat(64, 0)).setBytes(flat(8, 1))
        e.setBinary(message.setNullAdjustment(adjustment)): Unit
        Page(VariableWidth(32), e.build, IndexedSeq(ends, bytes(NumValues * 20)))
      case "dictionary" | "indices" =>
        val items = pb.Binary.newBuilder.setIndices(flat(64, 1)).setBytes(flat(8, 2))
        val message = pb.Dictionary.newBuilder.setIndices(flat(8, 0)).setNumDictionaryItems(100)
        message.setItems(pb.ArrayEncoding.newBuilder.setBinary(items.setNullAdjustment(2001))): Unit
        e.setDictionary(message): Unit
        val indices = Array.fill(NumValues)(random.nextInt(101).toByte)
        val ends = longs(100)(i => (i + 1) * 20L)
        Page(VariableWidth(32), e.build, IndexedSeq(indices, ends, bytes(2000)))
      case "list" =>
        val numItems = 3L * NumValues
        val message = pb.List.newBuilder.setOffsets(flat(64, 0)).setNumItems(numItems)
        e.setList(message.setNullOffsetAdjustment(numItems + 1)): Unit
        Page(FixedWidth(32), e.build, IndexedSeq(longs(NumValues)(i => (i + 1) * 3L)))
      case "bitpacked" =>
        val buffer = pb.Buffer.getDefaultInstance
        val message = pb.Bitpacked.newBuilder.setCompressedBitsPerValue(11).setBuffer(buffer)
        e.setBitpacked(message.setUncompressedBitsPerValue(32)): Unit
        Page(FixedWidth(32), e.build, IndexedSeq(bytes(NumValues * 11 / 8)))
      case other => throw new IllegalArgumentException(other)
    }
  }
}
