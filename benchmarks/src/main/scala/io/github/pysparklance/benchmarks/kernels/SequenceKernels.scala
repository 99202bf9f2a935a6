// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import java.nio.{ByteBuffer, ByteOrder}
import java.util.SplittableRandom

import com.google.protobuf.{Any => ProtobufAny, ByteString}

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.compression.bitpacking.OutOfLineBitpacking
import io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding
import io.github.pysparklance.encoding.proto.{v2_1, v2_3}
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.{Compressions, PageDecoders}

/** Sequences of numbers of file version 2.3, 64 bits wide, and a sparse page of lists. */
private[kernels] object SequenceKernels {
  def all: Seq[Kernels] = Seq(Sequences)

  private val NumValues = 8192

  private object Sequences
      extends Kernels("2.3", Seq("range", "flat", "delta", "rle", "sparse lists"), None) {
    def make(of: String): Kernel = if (of == "sparse lists") sparseLists() else sequence(of)
  }

  /** Differences of 5 bits, runs of 100 numbers, 16 distinct numbers; others are random. */
  def sequence(data: String): Kernel = {
    val (encoding, bytes) = make(data)
    val decoder = Compressions.of(EncodingVersion.V2_3).sequence(encoding, 64)
    val payload = Buffer(bytes)
    val out = new LongValues
    def run(): LongValues = {
      out.clear()
      decoder.decode(payload, NumValues, out)
      out
    }
    Kernel(NumValues, NumValues * 8, () => run())
  }

  /** Reads all lists, 1,024 at a time. Returns the last ones. */
  private def sparseLists(): Kernel = {
    val page = sparsePage()
    def run(): LeafBatch = {
      var batch: LeafBatch = null
      var row = 0
      while (row < NumValues) {
        batch = page.read(row.toLong, 1024)
        row += 1024
      }
      batch
    }
    Kernel(NumValues, NumValues * 4, () => run())
  }

  private def encoding(set: CompressiveEncoding.Builder => Any): CompressiveEncoding = {
    val builder = CompressiveEncoding.newBuilder()
    set(builder): Unit
    builder.build()
  }

  private def flat(bits: Int) =
    encoding(_.setFlat(v2_1.Flat.newBuilder().setBitsPerValue(bits.toLong)))

  private def range(start: Long, step: Long) = encoding(
    _.setRange(
      v2_1.Range.newBuilder().setUncompressedBitsPerValue(64).setStart(start).setStep(step)
    )
  )

  private def longs(values: Iterable[Long]): Array[Byte] = {
    val bytes = ByteBuffer.allocate(values.size * 8).order(ByteOrder.LITTLE_ENDIAN)
    values.foreach(bytes.putLong(_): Unit)
    bytes.array
  }

  private def ints(values: Iterable[Int]): Array[Byte] = {
    val bytes = ByteBuffer.allocate(values.size * 4).order(ByteOrder.LITTLE_ENDIAN)
    values.foreach(bytes.putInt(_): Unit)
    bytes.array
  }

  private def make(data: String): (CompressiveEncoding, Array[Byte]) = {
    val random = new SplittableRandom(42)
    data match {
      case "range" => (range(3, 7), Array.emptyByteArray)
      case "flat" => (flat(64), longs(Seq.fill(NumValues)(random.nextLong() >>> 1)))
      case "delta" =>
        val deltas = new LongValues
        (1 until NumValues).foreach(_ => deltas.append(random.nextInt(32).toLong))
        val packed = OutOfLineBitpacking.encodeBlock(deltas, 64, 5, 0, NumValues - 1)
        val message = v2_1.Delta
          .newBuilder()
          .setUncompressedBitsPerValue(64)
          .setDeltas(OutOfLineBitpacking.message(64, 5))
        (encoding(_.setDelta(message)), packed.toBytes)
      case "rle" =>
        val lengths = Seq.fill(NumValues / 100)(100) :+ NumValues % 100
        val values = longs(lengths.indices.map(_ * 1000003L))
        val message = v2_1.Rle.newBuilder().setValues(flat(64)).setRunLengths(flat(32))
        (encoding(_.setRle(message)), longs(Seq(values.length.toLong)) ++ values ++ ints(lengths))
      case _ =>
        val indices = ints(Seq.fill(NumValues)(random.nextInt(16)))
        val items = longs(Seq.fill(16)(random.nextLong() >>> 1))
        val message = v2_1.Dictionary
          .newBuilder()
          .setIndices(flat(32))
          .setItems(flat(64))
          .setNumDictionaryItems(16)
        val frame = longs(Seq(indices.length.toLong, items.length.toLong))
        (encoding(_.setDictionary(message)), frame ++ indices ++ items)
    }
  }

  /** Lists of 1 to 4 equal numbers, every third one empty, every fifth one null. */
  private def sparsePage(): PageReader = {
    val random = new SplittableRandom(42)
    val positions = (0 until NumValues).filter(i => i % 3 > 0 && i % 5 > 0).map(_.toLong)
    val counts = positions.map(_ => 1L + random.nextInt(4))
    val nulls = (0 until NumValues by 5).map(_.toLong)
    def set(positions: CompressiveEncoding, count: Int) = v2_3.SparseValiditySet
      .newBuilder()
      .setMeaning(v2_3.SparseValiditySet.Meaning.SPARSE_VALIDITY_NULL_POSITIONS)
      .setPositions(positions)
      .setNumPositions(count.toLong)
    val none = encoding(_.setConstant(v2_1.Constant.getDefaultInstance))
    val structure = v2_3.SparseStructure.newBuilder()
    structure.addLayersBuilder().setList(
      v2_3.SparseListLayer
        .newBuilder()
        .setNumChildSlots(counts.sum)
        .setNonEmptyPositions(flat(64))
        .setNumNonEmptyPositions(positions.length.toLong)
        .setCounts(flat(64))
        .setValidity(set(flat(64), nulls.length))
    ): Unit
    structure.addLayersBuilder().setValidity(set(none, 0)): Unit
    val seven =
      v2_3.ConstantValue.newBuilder().setScalar(ByteString.copyFrom(Array[Byte](7, 0, 0, 0)))
    val layout = v2_3.PlanarLayout
      .newBuilder()
      .setStructure(v2_3.StructuralPlane.newBuilder().setSparse(structure))
      .setValues(v2_3.ValuePlane.newBuilder().setConstant(seven))
    val any = ProtobufAny
      .newBuilder()
      .setTypeUrl(PageDecoders.PlanarLayoutUrl)
      .setValue(layout.build().toByteString)
    val buffers = IndexedSeq(positions, counts, nulls).map(b => Buffer(longs(b)))
    val decoder = PageDecoders(
      any.build().toByteArray,
      NumValues.toLong,
      buffers.map(_.length.toLong),
      FixedWidth(32),
      EncodingVersion.V2_3
    )
    decoder.open(buffers)
  }
}
