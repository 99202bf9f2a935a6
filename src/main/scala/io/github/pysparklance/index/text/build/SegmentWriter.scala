// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import java.nio.ByteBuffer

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{BinaryValues, Field, LeafColumn, LogicalType}
import io.github.pysparklance.index.spi.NewSegment
import io.github.pysparklance.index.text.segment.TextSegment

/** Writes the file that lists the partitions of a segment, see `TextSegment`. */
private[build] object SegmentWriter {

  /** @param parameters parameters of the analyzer, as JSON
    * @param partitions ids of the partitions
    */
  def write(
      into: NewSegment,
      format: SegmentFormat,
      parameters: String,
      partitions: Seq[Long]
  ): Unit = {
    val column =
      Field(0, TextSegment.deletedColumn, LogicalType.Binary(large = false), nullable = false)
    val writer = into.create(TextSegment.metadataFile, IndexedSeq(column))
    try {
      val deletedFragments = new RoaringBitmap
      val bitmap = ByteBuffer.allocate(deletedFragments.serializedSizeInBytes)
      deletedFragments.serialize(bitmap)
      val bytes = new BinaryValues
      bytes.append(bitmap.array, 0, bitmap.position())
      writer.write(IndexedSeq(LeafColumn(bytes, null)), 1)
      format.ofSegment.foreach { case (key, value) => writer.describe(key, value) }
      writer.describe("partitions", partitions.mkString("[", ",", "]"))
      writer.describe("params", parameters)
      writer.describe("token_set_format", "fst")
      into.describe(writer)
      into.finish(TextSegment.metadataFile, writer)
    } finally writer.close()
  }
}
