// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import java.util.UUID

import scala.util.Using

import org.apache.spark.rdd.{RDD, ShuffledRDD}
import org.apache.spark.serializer.KryoSerializer
import org.apache.spark.{Partitioner, SparkConf, TaskContext}

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.scalar.{BTree, BTreePages, KeyWindow}
import io.github.pysparklance.index.sorting._
import io.github.pysparklance.index.spi._
import io.github.pysparklance.index.{IndexDefinition, IndexedFragments}
import io.github.pysparklance.spark.common.SparkTasks
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.UncommittedFiles

/** Writes BTREE segments in Spark tasks.
  *
  * {{{
  *   sample rows -> bounds of ranges                                    if there is more than one range
  *   read rows -> sorted blocks of each range -> shuffle -> merge the blocks of a range -> pages
  *   pages of all ranges -> lookup of the pages
  * }}}
  * A reading task holds one block in memory. A merging task holds the blocks of one range.
  *
  * @param rowsPerRange approximate rows per range
  */
final private[jobs] class SortedBuild(
    on: JobTable,
    index: IndexDefinition,
    output: IndexOutput,
    rowsPerRange: Long
) {
  import SortedBuild._

  private val keyType: KeyType = KeyType.of(index.field.logicalType).get

  /** Builds a segment.
    *
    * @param fragments positions of the fragments in the table, ascending
    * @param description description of the jobs
    */
  def run(fragments: Seq[Int], description: String): BuiltSegment = {
    val numRows = fragments.map(i => on.table.physicalRows(on.table.fragments(i))).sum
    val bounds = rangeBounds(fragments, numRows, description)
    val parts = IndexedFragments.split(on.table, index, fragments, numTasks(numRows))
    val (store, its) = (output.store, keyType)
    val blocks = SparkTasks.elements(on.session, parts)(sortedBlocks(_, store, its, bounds))
    val isInOneTask = parts.length == 1 && bounds.isEmpty
    val definition = index
    write(if (isInOneTask) blocks else shuffled(blocks, bounds.length + 1), description) {
      (blocks, id, into) =>
        val inputs = blocks.map { case (_, block) => EntryBlock.read(block, its.isNumber) }
        Using.resource(SortedEntries.merged(inputs.toIndexedSeq, its.isNumber)) { entries =>
          Using.resource(BTree.writer(definition.field, definition.parameters, id, into))(
            _.write(entries)
          )
        }
    }
  }

  /** Merges segments into one. */
  def merge(sources: Seq[SegmentSource], description: String): BuiltSegment = {
    val read = sources.map(_.on(output.store)).toList
    val windows = KeyWindow.between(BTree.cuts(sources, rowsPerRange))
    val definition = index
    val elements = SparkTasks.elements(on.session, windows)(Iterator.single(_))
    write(elements, description) { (windows, id, into) =>
      val (field, parameters) = (definition.field, definition.parameters)
      BTree.mergeRange(read, field, parameters, id, windows.next(), into)
    }
  }

  private def numTasks(numRows: Long): Int = math.max(
    1L,
    math.min(
      tasksPerCore.toLong * on.session.sparkContext.defaultParallelism,
      numRows / leastRowsPerTask
    )
  ).toInt

  /** Returns the lower bounds of all ranges except the first. */
  private def rangeBounds(
      fragments: Seq[Int],
      numRows: Long,
      description: String
  ): IndexedSeq[EntryBound] = {
    val byRows = ceilDiv(numRows, rowsPerRange)
    if (numRows == 0 || byRows == 1 && keyType.isNumber) IndexedSeq.empty
    else {
      val numRuns = math.min(maxSampleRuns, runsPerRange * (byRows + 1)).toInt
      val spread = IndexedFragments.spread(on.table, index, fragments, numRuns, sampleRunRows)
      val perTask =
        ceilDiv(spread.scans.length, on.session.sparkContext.defaultParallelism.toLong).toInt
      val parts =
        spread.scans.grouped(math.max(1, perTask)).map(its => spread.copy(scans = its)).toIndexedSeq
      val (store, its) = (output.store, keyType)
      val samples = SparkTasks.run(on.session, description, parts)(sample(_, store, its))(_ => ())
      val bytes = samples.map(_.keyBytes).sum.toDouble / math.max(1L, samples.map(_.rows).sum)
      val byBytes = ceilDiv((numRows * (bytes + rowBytes)).toLong, bytesPerRange)
      EntryBound.cut(samples.flatMap(_.bounds), math.max(byRows, byBytes).toInt)
    }
  }

  /** Writes the pages of each partition, and the lookup file.
    *
    * @param rows one range per partition
    * @param pages writes the pages of a range with an id to a folder
    */
  private def write[A](rows: RDD[A], description: String)(
      pages: (Iterator[A], Option[Long], NewSegment) => BTreePages
  ): BuiltSegment =
    if (rows.getNumPartitions == 1) inOneRange(rows, description)(pages)
    else inRanges(rows, description)(pages)

  private def inOneRange[A](rows: RDD[A], description: String)(
      pages: (Iterator[A], Option[Long], NewSegment) => BTreePages
  ): BuiltSegment = {
    val (definition, out) = (index, output)
    SparkTasks.partitions(on.session, description, rows) { its =>
      out.write { into =>
        val written = pages(its, None, into)
        BTree.writeLookup(definition.field, definition.parameters, Seq(written), into)
      }
    }(built => out.remove(built.uuid)).head
  }

  /** All task attempts write to the folder of the segment, each to a file with a unique id. */
  private def inRanges[A](rows: RDD[A], description: String)(
      pages: (Iterator[A], Option[Long], NewSegment) => BTreePages
  ): BuiltSegment = {
    val built = UUID.randomUUID()
    val out = output
    val ranges = SparkTasks.partitions(on.session, description, rows) { its =>
      val into = out.folder(built)
      val written = pages(its, Some(TaskContext.get().taskAttemptId()), into)
      BuiltRange(written, into.files)
    }(range => out.removeFiles(built, range.files))
    val (filled, unused) = ranges.partition(_.pages.pages.nonEmpty)
    out.removeFiles(built, unused.flatMap(_.files))
    val into = output.folder(built)
    UncommittedFiles.removedOnFailure(output.remove(built)) {
      BTree.writeLookup(index.field, index.parameters, filled.map(_.pages), into)
    }
    BuiltSegment(built, filled.flatMap(_.files) ++ into.files)
  }
}

private[jobs] object SortedBuild {
  private val tasksPerCore = 2
  private val leastRowsPerTask = 50000L

  /** Approximate size of the entries in a reading task. */
  private val maxBlockBytes = 16L << 20

  /** Approximate size of the entries in a merging task. */
  private val bytesPerRange = 96L << 20
  private val rowBytes = 8

  private val sampleRunRows = 256
  private val rowsPerSample = 8
  private val runsPerRange = 32L
  private val maxSampleRuns = 8192L

  private def ceilDiv(a: Long, b: Long): Long = (a + b - 1) / b

  /** Reads rows, and returns sorted blocks with their range numbers. */
  private def sortedBlocks(
      rows: IndexedFragments,
      store: FileStore,
      keyType: KeyType,
      bounds: IndexedSeq[EntryBound]
  ): Iterator[(Int, Array[Byte])] = {
    val batches = rows.open(store)
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => batches.close()))
    val buffer = EntryBuffer(keyType)
    def next(): IndexedSeq[(Int, Array[Byte])] = {
      buffer.clear()
      var batch = batches.next()
      while (batch.isDefined) {
        buffer.add(batch.get)
        batch = if (buffer.sizeInBytes < maxBlockBytes) batches.next() else None
      }
      buffer.blocks(bounds)
    }
    Iterator.continually(next()).takeWhile(_.nonEmpty).flatten
  }

  /** Returns every eighth row, and the total size of all rows. */
  private def sample(rows: IndexedFragments, store: FileStore, keyType: KeyType): Sample = {
    val bounds = IndexedSeq.newBuilder[EntryBound]
    var (keyBytes, numRows) = (0L, 0L)
    rows.foreachBatch(store) { batch =>
      val keys = keyType.keys(batch.values)
      batch.foreachLive { row =>
        val key = Optional.unless(batch.isNull(row))(keys(row))
        keyBytes += key.fold(0L) {
          case bytes: BytesKey => bytes.bytes.length + 4L
          case _: NumberKey => 8L
        }
        if (numRows % rowsPerSample == 0) bounds += EntryBound(key, batch.ids(row))
        numRows += 1
      }
    }
    Sample(bounds.result(), keyBytes, numRows)
  }

  /** Sends each block to the partition with its range number. */
  def shuffled(
      blocks: RDD[(Int, Array[Byte])],
      ranges: Int
  ): RDD[(Int, Array[Byte])] =
    // Java serialization keeps up to 100 blocks of a stream in memory.
    new ShuffledRDD[Int, Array[Byte], Array[Byte]](blocks, new RangeNumbers(ranges)).setSerializer(
      new KryoSerializer(new SparkConf(false).set("spark.kryoserializer.buffer.max", "2047m"))
    )
}

/** Partitions by range number. */
final private class RangeNumbers(val numPartitions: Int) extends Partitioner {
  def getPartition(key: Any): Int = key match {
    case range: Int => range
    case other => throw new IllegalArgumentException(s"no number of a range: $other")
  }
}

/** A sample of entries.
  *
  * @param keyBytes size of the keys of all rows, including rows that are not in the sample
  */
final private case class Sample(bounds: IndexedSeq[EntryBound], keyBytes: Long, rows: Long)

/** The pages and files that a task wrote. */
final private case class BuiltRange(pages: BTreePages, files: Seq[SegmentFile])
