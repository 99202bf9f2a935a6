// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.distinct.DistinctRows
import io.github.pysparklance.spark.scan.task.{InputBytes, ReadTask, ScanCounters, TaskRows}
import io.github.pysparklance.spark.vectors.{BatchVectors, LanceBatch}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.storage.{MeteredStore, ReadMeter}
import io.github.pysparklance.table.scan.FragmentScan

/** Creates readers. Serialized to the executors with everything that a task needs except its rows.
  */
final private[spark] class LanceReaderFactory(read: ReadTask, store: FileStore, path: String)
    extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = !read.isRowByRow

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new LanceRowReader(reader(partition))

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    reader(partition)

  private def reader(partition: InputPartition): LancePartitionReader =
    new LancePartitionReader(read, store, path, LanceInputPartition.scans(partition))
}

/** Returns the batches of a task's fragments as vectors that share their arrays. */
final private class LancePartitionReader(
    read: ReadTask,
    unmetered: FileStore,
    path: String,
    scans: IndexedSeq[FragmentScan]
) extends PartitionReader[ColumnarBatch] {
  private val vectorsOf = new BatchVectors(read.fields, read.computed, read.options.types)
  private val fields = read.fields ++ read.computed.map(_.field)
  private val meter = new ReadMeter
  private val store = new MeteredStore(unmetered, meter)
  private val counters = new ScanCounters(meter)
  private val input = new InputBytes(meter)
  private val distinct = if (read.isDistinct) new DistinctRows else null
  private var rows: TaskRows = null
  private var batch: ColumnarBatch = null

  override def next(): Boolean = {
    val started = System.nanoTime()
    batch = null
    LanceErrors.inTask(path) {
      while (batch == null && advance()) batch = present()
    }
    counters.decodeNanos += System.nanoTime() - started
    batch != null
  }

  private def advance(): Boolean = input.reading {
    if (rows == null) rows = open()
    !isEnough && rows.next()
  }

  private def isEnough: Boolean = read.limit.exists(counters.rows >= _)

  private def open(): TaskRows = read.top match {
    case None => new TaskRows(read, store, scans, counters)
    case Some(top) =>
      // The rows have already been found. From here, only rows and bytes are counted.
      val found = top.select(read, store, scans, counters)
      val taking = read.copy(filter = None, sample = None)
      new TaskRows(taking, store, found, new ScanCounters(meter))
  }

  /** Returns the selected rows of a batch, or null if there are none. */
  private def present(): ColumnarBatch = {
    val reader = rows.batch
    val decoded = vectorsOf(reader.columns)
    val vectors = new Array[ColumnVector](decoded.length)
    var live = reader.live
    var numLive = reader.numLive
    counters.rows += numLive
    counters.batches += 1
    var i = 0
    while (i < vectors.length) {
      val all = decoded(i)
      if (distinct != null) {
        numLive = distinct.find(all, live, numLive)
        live = distinct.rows
      }
      vectors(i) = if (live == null) all else all.select(live, numLive)
      i += 1
    }
    if (numLive == 0) null else new LanceBatch(vectors, numLive, fields, reader.columns, live)
  }

  override def get(): ColumnarBatch = batch

  override def currentMetricsValues(): Array[CustomTaskMetric] = counters.values

  override def close(): Unit = if (rows != null) rows.close()
}
