// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnVector

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.push.PushedAggregate
import io.github.pysparklance.spark.scan.task.{InputBytes, ReadTask, ScanCounters, TaskRows}
import io.github.pysparklance.spark.vectors.{BatchVectors, LanceVector}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.storage.{MeteredStore, ReadMeter}
import io.github.pysparklance.table.scan.FragmentScan

/** Creates readers that aggregate. Serialized to the executors. */
final private[scan] class AggregateReaderFactory(
    read: ReadTask,
    store: FileStore,
    path: String,
    aggregates: IndexedSeq[PushedAggregate]
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new AggregateReader(read, store, path, aggregates, LanceInputPartition.scans(partition))
}

/** Returns one row: the aggregates of all rows of a task. */
final private class AggregateReader(
    read: ReadTask,
    store: FileStore,
    path: String,
    aggregates: IndexedSeq[PushedAggregate],
    scans: IndexedSeq[FragmentScan]
) extends PartitionReader[InternalRow] {
  private val vectorsOf = new BatchVectors(read.fields, read.computed, read.options.types)
  private val names = read.fields.map(_.name) ++ read.computed.map(_.name)
  private val states = aggregates.map(AggregateState(_))
  private val meter = new ReadMeter
  private val counters = new ScanCounters(meter)
  private val rows = new TaskRows(read, new MeteredStore(store, meter), scans, counters)
  private var row: InternalRow = null

  override def next(): Boolean = row == null && {
    val started = System.nanoTime()
    LanceErrors.inTask(path) {
      new InputBytes(meter).reading {
        while (rows.next()) add()
      }
    }
    row = new GenericInternalRow(states.map(_.result).toArray[Any])
    counters.decodeNanos += System.nanoTime() - started
    true
  }

  private def add(): Unit = {
    val batch = rows.batch
    val vectors = vectorsOf(batch.columns)
    states.zip(aggregates).foreach { case (state, aggregate) =>
      aggregate.column match {
        case None => state.add(null, batch.live, batch.numLive)
        case Some(path) =>
          val chain = chainOf(vectors, path)
          val valid = AggregateReader.valid(chain, batch.live, batch.numLive)
          val n = if (valid == null) batch.numLive else valid.length
          state.add(chain.last, valid, n)
      }
    }
    counters.rows += batch.numLive
    counters.batches += 1
  }

  /** Returns the vectors on the path to a column. The path ends at an unread column if only nulls
    * are counted.
    */
  private def chainOf(vectors: Array[LanceVector], path: Seq[String]): Array[ColumnVector] = {
    val chain = Array.newBuilder[ColumnVector]
    var vector: ColumnVector = vectors(names.indexOf(path.head))
    chain += vector
    path.tail.foreach { name =>
      vector = vector.dataType() match {
        case s: StructType => vector.getChild(s.fieldIndex(name))
        case other => throw new IllegalStateException(s"${other.sql} has no field $name")
      }
      chain += vector
    }
    chain.result()
  }

  override def get(): InternalRow = row

  override def currentMetricsValues(): Array[CustomTaskMetric] = counters.values

  override def close(): Unit = rows.close()
}

private object AggregateReader {

  /** Returns the positions of rows without a null in any of the vectors. Returns null if these are
    * all rows of the batch. Hot code.
    */
  private def valid(chain: Array[ColumnVector], live: Array[Int], numLive: Int): Array[Int] =
    if (!chain.exists(_.hasNull)) live
    else {
      val found = new Array[Int](numLive)
      var n = 0
      var i = 0
      while (i < numLive) {
        val row = if (live == null) i else live(i)
        var c = 0
        while (c < chain.length && !chain(c).isNullAt(row)) c += 1
        if (c == chain.length) {
          found(n) = row
          n += 1
        }
        i += 1
      }
      if (n == numLive) live else java.util.Arrays.copyOf(found, n)
    }
}
