// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.vectors.{MappedVector, VectorFactory}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.storage.{MeteredStore, ReadMeter}
import io.github.pysparklance.table.{FragmentReader, FragmentScan, MetadataColumn}

/** Goes to the executors: everything a task needs but its rows. */
final private[scan] class LanceReaderFactory(
    store: FileStore,
    fields: IndexedSeq[Field],
    metadata: IndexedSeq[MetadataColumn],
    options: ReadOptions
) extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("rows one by one: the scan is columnar")

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    partition match {
      case LanceInputPartition(scans) =>
        new LancePartitionReader(store, fields, metadata, options, scans)
      case other => throw new IllegalArgumentException(s"a partition of ${other.getClass.getName}")
    }
}

/** Presents the batches of one task's fragments, one fragment after the other, as vectors over their arrays. */
final private class LancePartitionReader(
    store: FileStore,
    fields: IndexedSeq[Field],
    metadata: IndexedSeq[MetadataColumn],
    options: ReadOptions,
    scans: IndexedSeq[FragmentScan]
) extends PartitionReader[ColumnarBatch] {
  private val factories =
    (fields.map(new VectorFactory(
      _,
      options.types
    )) ++ metadata.map(VectorFactory.ofMetadata)).toArray
  private val remaining = scans.iterator
  private val meter = new ReadMeter
  private val metered = new MeteredStore(store, meter)
  private val counters = new ScanCounters(meter)
  private var reader: FragmentReader = null
  private var batch: ColumnarBatch = null

  override def next(): Boolean = {
    val started = System.nanoTime()
    var found = false
    while (!found && advance()) found = reader.numLive > 0
    if (found) batch = present()
    counters.decodeNanos += System.nanoTime() - started
    found
  }

  /** Decodes the next batch of this or a later fragment. */
  private def advance(): Boolean = {
    var more = reader != null && reader.next()
    while (!more && (reader != null || remaining.hasNext)) {
      closeReader()
      if (remaining.hasNext) {
        reader = FragmentReader.open(
          metered,
          remaining.next(),
          fields,
          metadata,
          options.batchRows,
          options.budget
        )
        counters.fragments += 1
        more = reader.next()
      }
    }
    more
  }

  private def present(): ColumnarBatch = {
    val vectors = new Array[ColumnVector](factories.length)
    val live = reader.live
    var i = 0
    while (i < vectors.length) {
      val all = factories(i).vector(reader.columns(i))
      vectors(i) = if (live == null) all else new MappedVector(all, live, reader.numLive, null)
      i += 1
    }
    counters.rows += reader.numLive
    counters.batches += 1
    counters.deletedRows += reader.numDeleted
    new ColumnarBatch(vectors, reader.numLive)
  }

  override def get(): ColumnarBatch = batch

  override def currentMetricsValues(): Array[CustomTaskMetric] = counters.values

  private def closeReader(): Unit =
    if (reader != null) {
      val done = reader
      reader = null
      done.close()
    }

  override def close(): Unit = closeReader()
}
