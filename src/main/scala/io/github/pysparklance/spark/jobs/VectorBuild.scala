// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD

import io.github.pysparklance.core.Workers
import io.github.pysparklance.index.IndexedFragments
import io.github.pysparklance.index.spi.{NewSegment, SegmentSource}
import io.github.pysparklance.index.vector.VectorIndices
import io.github.pysparklance.index.vector.build._
import io.github.pysparklance.index.vector.segment.{SegmentModel, StoredSegment}
import io.github.pysparklance.spark.common.SparkTasks
import io.github.pysparklance.storage.spi.FileStore

/** Writes segments of vector indices in Spark tasks. Each task attempt writes its own files, and
  * removes them if it fails.
  *
  * {{{
  *   sample rows -> model                                                    trained on the driver
  *   read rows -> encoded vectors by partitions -> shuffle -> a segment for each range of partitions
  *   segments of all ranges -> one segment                                   if there are more ranges
  * }}}
  * A reading task holds a buffer in memory. A writing task holds the encoded vectors of its range,
  * and for graphs the vectors of a partition.
  */
final private[jobs] class VectorBuild(on: JobTable, val definition: VectorDefinition) {
  import VectorBuild._

  private val index = definition
  private val output =
    IndexOutput(on.taskStore, on.table.root, NewSegment.fileVersion(on.table.fileVersion))
  private val path: String = on.table.path
  private val name = s"${index.parameters.kind.name} index ${index.name}"

  /** Trains a model, and builds a segment.
    *
    * @param fragments positions of the fragments in the table, ascending
    */
  def run(fragments: Seq[Int]): BuiltSegment = {
    val numPartitions = index.parameters.partitionsOf(rowsOf(fragments), index.vectorBytes)
    val trained = train(fragments, numPartitions)
    write(trained.model, trained.weights, fragments, Nil, s"building $name")
  }

  /** Builds a segment with an existing model.
    *
    * @param model segment with the model
    * @param fragments positions of fragments to index
    * @param sources segments of the model to merge
    */
  def extend(
      model: StoredSegment,
      fragments: Seq[Int],
      sources: Seq[SegmentSource]
  ): BuiltSegment = {
    val weights = (0 until model.model.numPartitions).map(model.numVectors(_).toLong)
    write(model.model, weights, fragments, sources, s"extending $name")
  }

  private def rowsOf(fragments: Seq[Int]): Long =
    fragments.map(i => on.table.physicalRows(on.table.fragments(i))).sum

  private def train(fragments: Seq[Int], numPartitions: Int): TrainedModel = {
    val results = on.session.sparkContext.getConf.getSizeAsBytes("spark.driver.maxResultSize", "1g")
    val room = Runtime.getRuntime.maxMemory / sampleShare
    // Tasks return up to twice the sample.
    val maxBytes =
      math.max(leastSampleBytes, if (results > 0) math.min(room, results / 4) else room)
    val size = VectorSample.size(index, numPartitions, maxBytes)
    ModelTraining.train(index, sample(fragments, size, numPartitions), numPartitions, threads)
  }

  private def threads: Int = Runtime.getRuntime.availableProcessors

  /** Reads about `size` vectors, evenly spread over fragments. Reads all rows if too many of the
    * spread rows have no vectors.
    *
    * @param least minimum number of vectors, unless the fragments have fewer
    */
  private def sample(fragments: Seq[Int], size: Int, least: Int): VectorSample = {
    val numParts = 2 * on.session.sparkContext.defaultParallelism
    val rows = rowsOf(fragments)
    def all: VectorSample =
      read(IndexedFragments.split(on.table, index, fragments, numParts), size, least, rows)
    if (VectorSample.readsAll(rows, size)) all
    else {
      val spread = VectorSample.spread(on.table, index, fragments, size, numParts)
      val found = read(spread, size, least, size.toLong)
      if (found.numVectors < math.max(least, size / leastShare)) all else found
    }
  }

  /** Reads about `size` vectors.
    *
    * @param least minimum number of vectors that a part returns if it has them
    * @param numRows approximate number of rows to read
    */
  private def read(
      rows: IndexedSeq[IndexedFragments],
      size: Int,
      least: Int,
      numRows: Long
  ): VectorSample = {
    val parts = rows.filter(_.scans.nonEmpty)
    val (its, store) = (index, output.store)
    val most = math.max(least, (size / math.max(1, parts.length)) * 2)
    val description = s"sampling ${index.column.name} of $path for the $name"
    // Local files are read faster than results of tasks are sent to the driver.
    val isHere =
      !store.profile(path).isRemote && numRows * index.column.numBytes <= sampleBytesHere
    val samples =
      if (isHere) Workers.map(parts, threads)(VectorSample.read(its, _, store, most))
      else
        SparkTasks.run(on.session, description, parts)(VectorSample.read(its, _, store, most))(_ =>
          ()
        )
    if (samples.isEmpty) new VectorSample(index.dimension, Array.empty, Array.empty)
    else VectorSample.joined(samples, size)
  }

  /** Returns the ratio of the mean distance of a sample of the table to the mean distance at
    * training, see [[ModelTraining.growth]].
    */
  def growth(model: SegmentModel): Option[Double] =
    if (model.meanLoss.isEmpty) None
    else {
      val found = sample(on.table.fragments.indices, growthVectors, least = 1)
      ModelTraining.growth(model, found, threads)
    }

  private def write(
      model: SegmentModel,
      weights: IndexedSeq[Long],
      fragments: Seq[Int],
      sources: Seq[SegmentSource],
      verb: String
  ): BuiltSegment = {
    val description = s"$verb on ${fragments.length} fragments of $path"
    val ranges = PartitionRanges.cut(weights, numRanges(model, fragments, sources))
    val out = output
    val read = sources.map(_.on(out.store)).toList
    val parts = SparkTasks.partitions(
      on.session,
      description,
      blocks(model, fragments, ranges)
    ) { its =>
      val range = ranges.partitions(TaskContext.getPartitionId())
      out.write(VectorTasks.write(model, range, its.map(_._2), read, _))
    }(built => out.remove(built.uuid))
    if (parts.length == 1) parts.head
    else
      try
        SparkTasks.run(on.session, s"$description, last step", IndexedSeq(parts.toList)) { parts =>
          out.write(VectorTasks.concatenate(model, ranges, parts.map(out.files), _))
        }(built => out.remove(built.uuid)).head
      finally parts.foreach(part => out.remove(part.uuid))
  }

  private def numRanges(
      model: SegmentModel,
      fragments: Seq[Int],
      sources: Seq[SegmentSource]
  ): Int = {
    val stored = sources.flatMap(s => StoredSegment.open(s.files, index.elementType))
    val vectors =
      rowsOf(fragments) * (if (index.column.isMulti) vectorsPerList else 1) +
        stored.map(_.numVectors).sum
    val bytes = vectors * (model.encoder.recordBytes + recordOverhead)
    // The last step, which joins ranges, takes longer than a single larger range.
    val byBytes = if (bytes <= 2 * bytesPerRange) 1L else bytes / bytesPerRange + 1
    val cores = on.session.sparkContext.defaultParallelism.toLong
    // Graphs take long, and partitions differ in size.
    val wanted = if (model.graph.isDefined) math.max(byBytes, 8 * cores) else byBytes
    math.min(wanted, model.numPartitions.toLong).toInt
  }

  /** Encoded vectors, with a Spark partition for each range. */
  private def blocks(
      model: SegmentModel,
      fragments: Seq[Int],
      ranges: PartitionRanges
  ): RDD[(Int, Array[Byte])] = {
    val numTasks = math.max(
      1L,
      math.min(
        2L * on.session.sparkContext.defaultParallelism,
        rowsOf(fragments) / leastRowsPerTask
      )
    )
    val parts = IndexedFragments.split(on.table, index, fragments, numTasks.toInt)
      .filter(_.scans.nonEmpty)
    val (its, store) = (index, output.store)
    val read = SparkTasks.elements(on.session, parts)(encoded(its, model, ranges, _, store))
    if (ranges.numRanges == 1 && read.getNumPartitions == 1) read
    else SortedBuild.shuffled(read, ranges.numRanges)
  }
}

private[jobs] object VectorBuild {
  private val leastRowsPerTask = 10000L

  /** Approximate size of the encoded vectors of a range. */
  private val bytesPerRange = 96L << 20

  /** Partition, row, and the place of a record. */
  private val recordOverhead = 20L

  /** Vectors in a list, on average; a guess. */
  private val vectorsPerList = 8L

  private val leastSampleBytes = 64L << 20

  /** Size of a sample of local files that the driver reads itself. */
  private val sampleBytesHere = 64L << 20

  /** A sample of spread rows with fewer than this part of the wanted vectors is too small. */
  private val leastShare = 8

  /** Number of sampled vectors for [[growth]]. */
  private val growthVectors = 16384

  /** The sample takes at most this part of the memory of the driver. */
  private val sampleShare = 8L

  private def encoded(
      index: VectorDefinition,
      model: SegmentModel,
      ranges: PartitionRanges,
      fragments: IndexedFragments,
      store: FileStore
  ): Iterator[(Int, Array[Byte])] = {
    val reader = new BlockReader(index, model, ranges, fragments, store)
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => reader.close()))
    Iterator.continually(reader.next()).takeWhile(_.nonEmpty).flatten
  }

  /** Returns a merge of segments of any vector index of a table, which runs in Spark tasks. */
  def merging(on: JobTable): VectorMerge = (table, name, first, sources) => {
    val job = on.copy(table = table)
    val indices = new VectorIndices(table)
    val fieldId = IndexJob.named(table, name).head.fields.head
    val index = indices.open(fieldId, name).getOrElse(
      throw new IllegalStateException(s"the index $name cannot be read")
    )
    val built =
      new VectorBuild(job, VectorDefinition.of(table, index)).extend(first, Nil, sources)
    (built.uuid, built.files)
  }
}
