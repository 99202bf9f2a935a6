// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.kernels

import java.util.SplittableRandom

import com.google.protobuf.{Any => ProtobufAny, ByteString}

import io.github.pysparklance.benchmarks.kernels.Target.OfCopy
import io.github.pysparklance.core._
import io.github.pysparklance.encoding.layout.LeafColumnWriter
import io.github.pysparklance.encoding.spi._
import io.github.pysparklance.encoding.{EncodingChooser, PageDecoders}

/** Dictionaries. For pages of file version 2.1 and later, the kernel unpacks and checks the
  * indices. For sequences of 2.3, it looks up the values.
  */
private[kernels] object DictionaryKernels {
  def all: Seq[Kernels] = Seq(Dictionaries)

  private val NumValues = 16384

  private object Dictionaries
      extends Kernels("dictionary", Seq("page", "2.3 sequence"), Some(OfCopy(0.5))) {
    def make(of: String): Kernel =
      if (of == "page") page() else SequenceKernels.sequence("dictionary")
  }

  /** 200 distinct strings, read 4,096 rows at a time. Returns the last batch. */
  private def page(): Kernel = {
    val random = new SplittableRandom(42)
    val strings = new BinaryValues
    (0 until NumValues).foreach { _ =>
      val bytes = s"number ${random.nextInt(200)}".getBytes
      strings.append(bytes, 0, bytes.length)
    }
    val field = Field(0, "s", LogicalType.Utf8(large = false), nullable = false)
    val writer = new LeafColumnWriter(IndexedSeq(field), new EncodingChooser(EncodingVersion.V2_2))
    writer.append(LeafColumn(strings, null), 0, NumValues)
    val encoded = writer.flush().head
    val any = ProtobufAny
      .newBuilder()
      .setTypeUrl(encoded.typeUrl)
      .setValue(ByteString.copyFrom(encoded.encoding))
      .build()
    val decoder = PageDecoders(
      any.toByteArray,
      NumValues.toLong,
      encoded.buffers.map(_.length.toLong),
      field.valueType,
      EncodingVersion.V2_2
    )
    val reader = decoder.open(decoder.head.map(encoded.buffers))
    val rows = RowRange(0, NumValues)
    def run(): LeafBatch = {
      reader.dataRange(rows).foreach { r =>
        reader.addWindow(rows, encoded.buffers(r.buffer).slice(r.offset, r.length))
      }
      var batch: LeafBatch = null
      var row = 0
      while (row < NumValues) {
        batch = reader.read(row.toLong, 4096)
        row += 4096
      }
      batch
    }
    Kernel(NumValues, NumValues * 4, () => run())
  }
}
