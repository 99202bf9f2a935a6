// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import io.github.pysparklance.core._
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.vector.distance.ElementType
import io.github.pysparklance.index.vector.hnsw.{GraphFile, GraphParameters}
import io.github.pysparklance.index.vector.ivf.PartitionRows
import io.github.pysparklance.index.vector.quantizer._

/** A segment of an index as the source of another one: its model, and the codes of its partitions.
  * Immutable.
  *
  * @param graphs rows of the graphs; `None` if the index has none
  * @param outlines entries of the graphs in the metadata of the file
  */
final class StoredSegment private (
    val model: SegmentModel,
    codeRows: PartitionRows,
    graphs: Option[PartitionRows],
    outlines: IndexedSeq[String]
) {
  import StoredSegment._

  /** Vectors of a partition. */
  def numVectors(partition: Int): Int = codeRows.length(partition)

  /** Vectors of all partitions. */
  def numVectors: Long = codeRows.numRows

  private[segment] def numGraphRows(partition: Int): Int = graphs.fold(0)(_.length(partition))

  private[segment] def outline(partition: Int): String =
    if (outlines.isEmpty) "" else outlines(partition)

  /** Reads partitions.
    *
    * @return in the order of `wanted`
    */
  def read(files: IndexFiles, wanted: IndexedSeq[Int]): IndexedSeq[PartitionCodes] = {
    val columns = model.encoder.columns
    val found = files.use(VectorSegment.codeFile) { file =>
      CodeFiles.readRows(file, codeRows, wanted, rowColumn +: columns.map(_.name))(new Codes(_))
    }
    wanted.map(p => found(p).result())
  }

  /** The codes of a partition while they are read. */
  final private class Codes(partition: Int) extends CodeFiles.Rows {
    private val columns = model.encoder.columns
    private val numRows = codeRows.length(partition)
    private val rows = new Array[Long](numRows)
    private val bytes =
      columns.map(c => new Array[Byte](CodeColumns.arraySize(numRows, c.numBytes)))
    private var at = 0

    def append(batch: IndexedSeq[Column]): Unit = {
      CodeColumns.appendIds(batch(0), rowColumn, rows, at)
      columns.indices.foreach { c =>
        CodeColumns.copyBytes(batch(c + 1), columns(c), bytes(c), at * columns(c).numBytes)
      }
      at += batch(0).numRows
    }

    def result(): PartitionCodes = {
      val size = model.encoder.recordBytes
      val codes = new Array[Byte](CodeColumns.arraySize(numRows, size))
      var before = 0
      columns.indices.foreach { c =>
        val width = columns(c).numBytes
        val ordered = model.encoder.unpack(columns(c), bytes(c), numRows)
        var i = 0
        while (i < numRows) {
          System.arraycopy(ordered, i * width, codes, i * size + before, width)
          i += 1
        }
        before += width
      }
      new PartitionCodes(rows, codes)
    }
  }
}

object StoredSegment {

  /** The column of rows. */
  val rowColumn: String = "_rowid"

  /** Opens a segment.
    *
    * @param elementType element type of the column
    * @return `None` if new segments cannot have its layout
    * @throws CorruptFileException if its files are damaged
    */
  def open(files: IndexFiles, elementType: ElementType): Option[StoredSegment] = {
    val segment = VectorSegment.open(files)
    if (!VectorSegment.isCurrent(files)) None
    else {
      val (centroids, rows, outlines) = files.use(VectorSegment.indexFile) { file =>
        val model = CodeFiles.ivf(file)
        val texts =
          if (!segment.hasGraphs) IndexedSeq.empty
          else MetadataJson.texts(CodeFiles.entry(file, CodeFiles.graphKey), CodeFiles.graphKey)
        (model, PartitionRows.of(model, "the graphs"), texts)
      }
      files.use(VectorSegment.codeFile) { file =>
        for {
          encoder <- QuantizerMetadata.encoder(
            segment.quantizer,
            elementType,
            segment.metric,
            segment.centroids,
            file
          )
          graph = Optional.when(segment.hasGraphs)(parameters(outlines))
          codes = PartitionRows.of(CodeFiles.ivf(file), "the codes")
            .checkWithin(file.numRows, "the codes")
          if centroids.hasCentroidsTensor
        } yield new StoredSegment(
          new SegmentModel(
            segment.metric,
            elementType,
            segment.centroids,
            centroids.getCentroidsTensor.toByteArray,
            encoder,
            Optional.when(
              centroids.hasLoss && codes.numRows > 0
            )(centroids.getLoss / codes.numRows),
            graph
          ),
          codes,
          graph.map(_ => rows),
          outlines
        )
      }
    }
  }

  /** The parameters of the first graph. */
  private[segment] def parameters(outlines: IndexedSeq[String]): GraphParameters =
    outlines.find(_.nonEmpty).fold(GraphParameters.default) { text =>
      val json = MetadataJson.parse(text, "a graph").inner("params")
      val default = GraphParameters.default
      val m = json.optionalCount("m").getOrElse(default.m)
      CorruptFileException.check(
        m > 0 && m <= GraphParameters.MaxNeighbors,
        s"a graph with m $m, expected 1 to ${GraphParameters.MaxNeighbors}"
      )
      def bounded(key: String, default: Int, max: Int): Int = {
        val found = json.optionalCount(key).getOrElse(default)
        CorruptFileException.check(
          found > 0 && found <= max,
          s"a graph with $key $found, expected 1 to $max"
        )
        found
      }
      GraphParameters(
        m,
        bounded("ef_construction", default.efConstruction, GraphParameters.MaxCandidates),
        bounded("max_level", default.maxLevel, GraphFile.maxLevels)
      )
    }
}
