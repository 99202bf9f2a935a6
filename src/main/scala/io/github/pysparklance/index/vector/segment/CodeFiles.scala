// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import scala.util.Using

import io.github.pysparklance.core._
import io.github.pysparklance.file.DescribedFile
import io.github.pysparklance.index.proto.IVF
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.vector.distance.{DistanceKernels, Metric}
import io.github.pysparklance.index.vector.hnsw.{GraphFile, HnswGraph}
import io.github.pysparklance.index.vector.ivf.{Centroids, Messages, PartitionRows}
import io.github.pysparklance.index.vector.quantizer.{CodeColumns, CodesBuilder, Quantizer}

/** The files of a segment. One file has the codes and row ids, the other one the model and the
  * graphs.
  *
  * {{{
  *   index.idx       metadata lance:index {"type", "distance_type"}, lance:ivf = buffer of a message IVF with
  *                   centroids,
  *                   lance:hnsw = a JSON text for each partition; columns of the graphs
  *   auxiliary.idx   metadata distance_type, lance:ivf = buffer of a message IVF, storage_metadata; _rowid, codes
  * }}}
  *
  * Source: format page of indices, "Files".
  *
  * @param codeRows rows of each partition in the file with the codes
  * @param graphs graphs of the partitions; `None` if the index has no graphs
  */
final private[segment] class CodeFiles private (
    codeRows: PartitionRows,
    quantizer: Quantizer,
    graphs: Option[CodeFiles.Graphs]
) extends PartitionSource {
  import CodeFiles._
  import StoredSegment.rowColumn

  def numPartitions: Int = codeRows.numPartitions

  def numVectors(partition: Int): Int = codeRows.length(partition)

  def sizeInBytes: Long = codeRows.sizeInBytes +
    graphs.fold(0L)(g => g.rows.sizeInBytes + 200L * g.outlines.length)

  def read(files: IndexFiles, wanted: IndexedSeq[Int]): IndexedSeq[VectorPartition] = {
    val codes = files.use(VectorSegment.codeFile) { file =>
      readRows(file, codeRows, wanted, rowColumn +: quantizer.columns)(p => new Vectors(p))
    }
    val found = graphs.map { g =>
      files.use(VectorSegment.indexFile) { file =>
        readRows(file, g.rows, wanted, GraphFile.columns)(p => new Nodes(g, p))
      }
    }
    wanted.map { p =>
      val vectors = codes(p)
      new VectorPartition(vectors.rows, vectors.codes.result(), found.flatMap(_(p).result(p)))
    }
  }

  /** The row ids and codes of a partition while they are read. */
  final private class Vectors(partition: Int) extends Rows {
    val rows = new Array[Long](codeRows.length(partition))
    val codes: CodesBuilder = quantizer.newCodes(rows.length, graphs.isDefined)
    private var at = 0

    def append(batch: IndexedSeq[Column]): Unit = {
      CodeColumns.appendIds(batch(0), rowColumn, rows, at)
      codes.append(batch.drop(1))
      at += batch(0).numRows
    }
  }

  /** The graph of a partition while it is read. */
  final private class Nodes(graphs: Graphs, partition: Int) extends Rows {
    private val builder = graphs.outlines(partition).map { outline =>
      new GraphFile.Builder(graphs.rows.length(partition), outline, s"partition $partition")
    }

    def append(batch: IndexedSeq[Column]): Unit = builder.foreach(_.append(batch))

    def result(partition: Int): Option[HnswGraph] = {
      val numVectors = codeRows.length(partition)
      builder.filter(_ => numVectors > 0).map(_.result(numVectors))
    }
  }
}

private[segment] object CodeFiles {
  private val ivfKey = "lance:ivf"
  private[segment] val graphKey = "lance:hnsw"

  /** @param rows rows of each partition in the file
    * @param outlines metadata of the graph of each partition; `None` for partitions without a
    *   graph, for which writers store no rows
    */
  final class Graphs(val rows: PartitionRows, val outlines: IndexedSeq[Option[GraphFile.Outline]])

  private[segment] trait Rows {
    def append(batch: IndexedSeq[Column]): Unit
  }

  /** Opens the files. */
  def open(files: IndexFiles, kernels: DistanceKernels): VectorSegment = {
    val (kind, metric, model, outlines) = files.use(VectorSegment.indexFile)(readModel)
    val centroids = Centroids.of(model, "the model")
    Place.in(Place(path = Some(s"${files.path}/${VectorSegment.codeFile}"))) {
      files.use(VectorSegment.codeFile) { file =>
        val codeRows = PartitionRows.of(ivf(file), "the codes")
          .checkWithin(file.numRows, "the codes")
        val quantizer = QuantizerMetadata.read(kind, metric, centroids, file, kernels)
        val graphs = outlines.map(new Graphs(PartitionRows.of(model, "the graphs"), _))
        new VectorSegment(
          kind,
          metric,
          centroids,
          quantizer,
          new CodeFiles(codeRows, quantizer, graphs),
          kernels
        )
      }
    }
  }

  /** Returns the kind, metric, message, and outlines of graphs. */
  private def readModel(
      file: DescribedFile
  ): (String, Metric, IVF, Option[IndexedSeq[Option[GraphFile.Outline]]]) = {
    val index = MetadataJson.parse(entry(file, "lance:index"), "lance:index")
    val kind = index.text("type")
    val model = ivf(file)
    val outlines = Optional.when(kind.contains("HNSW")) {
      val rows = PartitionRows.of(model, "the graphs").checkWithin(file.numRows, "the graphs")
      val texts = MetadataJson.texts(entry(file, graphKey), graphKey)
      CorruptFileException.check(
        texts.length == rows.numPartitions,
        s"${texts.length} graphs for ${rows.numPartitions} partitions"
      )
      texts.indices.map { p =>
        val what = s"the graph of partition $p"
        // The text of an empty partition is empty.
        Optional.unless(texts(p).isEmpty) {
          GraphFile.outline(MetadataJson.parse(texts(p), what).node, rows.length(p), what)
        }
      }
    }
    (kind, metricOf(index.text("distance_type")), model, outlines)
  }

  private[segment] def metricOf(name: String): Metric =
    Metric.all.find(_.name == name.toLowerCase(java.util.Locale.ROOT)).getOrElse(
      throw new UnsupportedFeatureException(
        s"a vector index with the metric '${Printable.line(name.take(40))}'"
      )
    )

  private[segment] def ivf(file: DescribedFile): IVF = {
    val number = IndexFiles.number(file, ivfKey).getOrElse(missing(ivfKey))
    val bytes = file.globalBuffer(Checked.int(number, ivfKey))
    Messages.parsed(ivfKey)(IVF.parseFrom(bytes.toByteBuffer))
  }

  /** Returns an entry of the schema metadata of a file. */
  def entry(file: DescribedFile, key: String): String =
    file.schema.metadata.getOrElse(key, missing(key))

  private def missing(key: String): Nothing =
    throw new CorruptFileException(s"no index file: its metadata have no $key")

  /** Reads the rows of partitions, batch by batch.
    *
    * @param builder collects the rows of a partition
    */
  private[segment] def readRows[A <: Rows](
      file: DescribedFile,
      of: PartitionRows,
      wanted: IndexedSeq[Int],
      columns: IndexedSeq[String]
  )(builder: Int => A): Map[Int, A] = Place.in(Place(path = Some(file.path))) {
    val builders = wanted.map(p => p -> builder(p))
    val filled = builders.filter { case (p, _) => of.length(p) > 0 }
      .sortBy { case (p, _) => of.offset(p) }
    if (filled.nonEmpty) {
      val ranges = RowRange.merged(filled.iterator.map { case (p, _) => of.rows(p) }, 0L)
      Using.resource(file.read(columns, ranges)) { reader =>
        filled.foreach { case (p, rows) =>
          var left = of.length(p)
          while (left > 0) {
            val numRows = math.min(reader.rowsAvailable, left)
            CorruptFileException.check(numRows > 0, s"partition $p lacks $left rows")
            rows.append(reader.read(numRows))
            left -= numRows
          }
        }
      }
    }
    builders.toMap
  }
}
