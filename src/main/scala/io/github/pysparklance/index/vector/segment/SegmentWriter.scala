// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import scala.collection.mutable

import com.fasterxml.jackson.databind.ObjectMapper
import com.google.protobuf.ByteString

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFileWriter
import io.github.pysparklance.index.proto.{IVF, Tensor}
import io.github.pysparklance.index.spi.{IndexFiles, NewSegment}
import io.github.pysparklance.index.vector.hnsw.GraphRows
import io.github.pysparklance.index.vector.quantizer.CodeColumns

/** The encoded vectors of a partition.
  *
  * @param rows row id of each vector
  * @param codes encoded records, vector by vector
  */
final class PartitionCodes(val rows: Array[Long], val codes: Array[Byte]) {
  def numRows: Int = rows.length
}

/** Writes the files of a segment, partition by partition. Holds one partition in memory. Not
  * thread-safe.
  *
  * Source: format page of indices, "Files".
  *
  * @param into folder of the segment
  */
final class SegmentWriter(into: NewSegment, model: SegmentModel) extends AutoCloseable {
  import SegmentWriter._

  private val columns = model.encoder.columns
  private val codeFields = rowField +: columns.map { c =>
    val list = if (c.listSize == 0) c.item else LogicalType.FixedSizeList(c.item, c.listSize)
    Field(0, c.name, list, nullable = true)
  }
  private val graphFields = if (model.graph.isDefined) GraphRows.fields else IndexedSeq(flatField)
  private val codes = into.create(VectorSegment.codeFile, codeFields)
  private val graphs = createdOrClosed(codes)(into.create(VectorSegment.indexFile, graphFields))
  private val codeLengths = mutable.ArrayBuffer.empty[Int]
  private val graphLengths = mutable.ArrayBuffer.empty[Int]
  private val outlines = mutable.ArrayBuffer.empty[String]

  /** Adds the next partition.
    *
    * @param graph graph of the partition, if the index has graphs and the partition is not empty
    */
  def add(partition: PartitionCodes, graph: Option[GraphRows]): Unit = {
    val numRows = partition.numRows
    val packed = columns.indices.map { c =>
      val column = columns(c)
      val bytes = new Array[Byte](CodeColumns.arraySize(numRows, column.numBytes))
      val before = columns.take(c).map(_.numBytes).sum
      val size = model.encoder.recordBytes
      var i = 0
      while (i < numRows) {
        System.arraycopy(
          partition.codes,
          i * size + before,
          bytes,
          i * column.numBytes,
          column.numBytes
        )
        i += 1
      }
      model.encoder.pack(column, bytes, numRows)
    }
    parts(numRows).foreach { case (from, n) =>
      val rows = new LongValues
      rows.extend(n): Unit
      System.arraycopy(partition.rows, from, rows.array, 0, n)
      codes.write(
        LeafColumn(rows, null) +: columns.indices.map(c =>
          CodeColumns.ofBytes(columns(c), packed(c), from, n)
        ),
        n
      )
    }
    graph.foreach { g =>
      parts(g.numRows).foreach { case (from, n) =>
        graphs.write(g.columns(from, from + n), n)
      }
    }
    added(numRows, graph.fold(0)(_.numRows), graph.fold("")(_.outline))
  }

  /** Adds empty partitions. */
  def addEmpty(numPartitions: Int): Unit = (0 until numPartitions).foreach(_ => added(0, 0, ""))

  /** Adds the next partitions from a segment with the same model, whose other partitions are empty.
    */
  def addAll(part: StoredSegment, files: IndexFiles, numPartitions: Int): Unit = {
    files.use(VectorSegment.codeFile) { file =>
      val all = StoredSegment.rowColumn +: columns.map(_.name)
      IndexFiles.foreachBatch(file, all: _*) { batch =>
        val n = batch(0).numRows
        val rows = new LongValues
        rows.extend(n): Unit
        CodeColumns.appendIds(batch(0), StoredSegment.rowColumn, rows.array, 0)
        codes.write(
          LeafColumn(rows, null) +: columns.indices.map { c =>
            val bytes = new Array[Byte](n * columns(c).numBytes)
            CodeColumns.copyBytes(batch(c + 1), columns(c), bytes, 0)
            CodeColumns.ofBytes(columns(c), bytes, 0, n)
          },
          n
        )
      }
    }
    if (model.graph.isDefined)
      files.use(VectorSegment.indexFile) { file =>
        IndexFiles.foreachBatch(file, GraphRows.fields.map(_.name): _*) { batch =>
          graphs.write(GraphRows.plain(batch), batch(0).numRows)
        }
      }
    val first = codeLengths.length
    (first until first + numPartitions).foreach { p =>
      added(part.numVectors(p), part.numGraphRows(p), part.outline(p))
    }
  }

  private def added(numRows: Int, numGraphRows: Int, outline: String): Unit = {
    codeLengths += numRows
    graphLengths += numGraphRows
    outlines += outline
  }

  /** Finishes the files. All partitions must have been added. */
  def finish(): Unit = {
    if (codeLengths.length != model.numPartitions)
      throw new IllegalStateException(
        s"${codeLengths.length} partitions were added, not ${model.numPartitions}"
      )
    codes.describe("distance_type", model.metric.name)
    codes.describe(ivfKey, Buffer(message(codeLengths.toSeq, isModel = false)))
    val position = model.encoder.tensor.fold(0)(t => codes.addBuffer(Buffer(t)))
    codes.describe("storage_metadata", texts(Seq(model.encoder.metadata(position))))
    into.finish(VectorSegment.codeFile, codes)
    val index = json.createObjectNode()
    index.put("type", model.kind)
    index.put("distance_type", model.metric.name)
    graphs.describe("lance:index", json.writeValueAsString(index))
    graphs.describe(ivfKey, Buffer(message(graphLengths.toSeq, isModel = true)))
    graphs.describe(
      if (model.graph.isDefined) "lance:hnsw" else "lance:flat",
      texts(outlines.toSeq)
    )
    into.finish(VectorSegment.indexFile, graphs)
  }

  private def message(lengths: Seq[Int], isModel: Boolean): Array[Byte] = {
    val builder = IVF.newBuilder()
    var offset = 0L
    lengths.foreach { n =>
      builder.addOffsets(offset)
      builder.addLengths(n)
      offset += n
    }
    if (isModel) {
      builder.setCentroidsTensor(Tensor.parseFrom(ByteString.copyFrom(model.centroidTensor)))
      // The field has the loss of all vectors. New vectors do not change the mean, which shows
      // whether they differ.
      model.meanLoss.foreach(mean => builder.setLoss(mean * codeLengths.iterator.map(_.toLong).sum))
    }
    builder.build().toByteArray
  }

  private def texts(of: Seq[String]): String = {
    val array = json.createArrayNode()
    of.foreach(array.add(_))
    json.writeValueAsString(array)
  }

  /** Deletes the files, unless they are finished. */
  def close(): Unit =
    try codes.close()
    finally graphs.close()
}

private object SegmentWriter {
  private val json = new ObjectMapper
  private val ivfKey = "lance:ivf"

  private val rowField = Field(
    0,
    StoredSegment.rowColumn,
    LogicalType.Integer(64, signed = false),
    nullable = true
  )

  /** The column of index files without graphs, which have no rows. */
  private val flatField = NewSegment.unsigned("__flat_marker", 64)

  private def createdOrClosed(other: DescribedFileWriter)(
      create: => DescribedFileWriter
  ): DescribedFileWriter =
    try create
    catch {
      case e: Throwable =>
        other.close()
        throw e
    }

  /** Divides rows into parts. Returns the first row and the number of rows of each part. */
  private def parts(numRows: Int): Iterator[(Int, Int)] = Iterator
    .range(0, numRows, IndexFiles.batchRows)
    .map(from => (from, math.min(IndexFiles.batchRows, numRows - from)))
}
