// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import java.util.OptionalLong

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReaderFactory,
  Scan,
  Statistics,
  SupportsReportStatistics
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.metrics.TaskMetric
import io.github.pysparklance.spark.scan.task.{ReadTask, ScanMetrics}
import io.github.pysparklance.spark.scan.{LanceInputPartition, LanceReaderFactory, ScanStreams}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.changes.Changes
import io.github.pysparklance.table.scan.FragmentScan

/** Reads changed rows. The tasks run the stages of other scans on them: the change that rows are
  * part of is one more computed column, and earlier versions are read with the columns of the last
  * one.
  *
  * @param read the work of each task
  * @param conditions conditions that selected the changes
  * @param streams makes streams of the table
  */
final private[changes] class ChangeScan(
    changes: Changes,
    store: FileStore,
    read: ReadTask,
    request: ChangeRequest,
    conditions: Seq[Expression],
    streams: ScanStreams
) extends Scan
    with Batch
    with SupportsReportStatistics {
  override def readSchema(): StructType = read.schema

  override def toBatch: Batch = {
    LanceErrors.translated(streams.checkBatch())
    this
  }

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
    LanceErrors.translated(streams.stream(read, checkpointLocation))

  private lazy val estimate = new ChangeEstimate(changes.parts, changes.schema.fields, read)

  private lazy val tasks: IndexedSeq[IndexedSeq[FragmentScan]] =
    LanceErrors.translated(estimate.tasks)

  override def planInputPartitions(): Array[InputPartition] =
    tasks.map(t => LanceInputPartition(t): InputPartition).toArray

  override def createReaderFactory(): PartitionReaderFactory =
    new LanceReaderFactory(read, store, changes.end.path)

  override def columnarSupportMode(): Scan.ColumnarSupportMode = read.columnarSupportMode

  override def estimateStatistics(): Statistics = new Statistics {
    override def sizeInBytes(): OptionalLong =
      OptionalLong.of(math.max(
        1L,
        math.max(estimate.numBytes, changes.numRows * read.schema.defaultSize)
      ))
    override def numRows(): OptionalLong = OptionalLong.of(changes.numRows)
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = ScanMetrics.all

  override def reportDriverMetrics(): Array[CustomTaskMetric] = {
    val fragments = changes.parts.iterator.map(_.fragment.id).toSet.size.toLong
    Array(
      TaskMetric(ScanMetrics.FragmentsTotal, changes.end.fragments.length.toLong),
      TaskMetric(ScanMetrics.FragmentsKept, fragments)
    )
  }

  override def description(): String = {
    val range = changes.range
    val where = (conditions.map(_.sql) ++ read.filter.map(_.sql)).mkString(" AND ")
    val parts = Seq(
      s"${changes.numRows} rows in ${changes.parts.length} parts of fragments",
      readSchema().catalogString,
      if (request.net) "net changes" else "",
      if (where.isEmpty) "" else s"where $where"
    ) ++ read.limit.map(n => s"limit $n in each task")
    s"lance ${changes.end.path} changes of versions ${range.begin} to ${range.end}, " +
      parts.filter(_.nonEmpty).mkString(", ")
  }

  private def identity: Seq[Any] = Seq(
    changes.end.path,
    changes.range,
    changes.end.manifest.transactionFile,
    request.net,
    request.identifierColumns,
    read,
    conditions.map(_.canonicalized)
  )

  override def equals(other: Any): Boolean = other match {
    case s: ChangeScan => identity == s.identity
    case _ => false
  }

  override def hashCode: Int = identity.hashCode
}
