// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.write.{
  DeltaBatchWrite,
  DeltaWrite,
  DeltaWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}

import io.github.pysparklance.index.zones.ZonedColumns
import io.github.pysparklance.spark.commit.{CommitInfo, TableCommit, TaskFiles}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.write.steps.RowConstraints
import io.github.pysparklance.spark.write.{LanceDataWriter, WriteMetrics}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.columns.NewColumns

/** A planned DELETE, UPDATE, or MERGE in Spark's plan and UI. */
final private[spark] class LanceDeltaWrite private[rowlevel] (plan: DeltaPlan) extends DeltaWrite {

  override def description(): String =
    s"lance ${plan.table.path} version ${plan.table.version}, rows by their addresses"

  override def toBatch: DeltaBatchWrite = new LanceDeltaBatchWrite(plan)

  override def supportedCustomMetrics(): Array[CustomMetric] = Array[CustomMetric](
    new DeletedRowsMetric,
    new UpdatedRowsMetric,
    new InsertedRowsMetric
  ) ++ WriteMetrics.all
}

/** Deletes, updates, and inserts rows in one commit, based on the version that was read. Conflicts
  * only with concurrent commits that changed the same rows.
  */
final private class LanceDeltaBatchWrite(plan: DeltaPlan) extends DeltaBatchWrite {

  private val tableCommit = TableCommit(plan.table, plan.options.info)

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DeltaWriterFactory = {
    val store = plan.location.taskStore(None)
    val (path, version, options) = (plan.table.path, plan.table.fileVersion, plan.options)
    plan.newRows match {
      case Some(NewRows(schema, columns, constraints)) =>
        val zoned =
          ZonedColumns.of(schema, options.zoneMaps, plan.table.hasStableRowIds, Some(plan.table))
        new LanceDeltaWriterFactory(
          plan.rowIdAt,
          constraints,
          () =>
            new LanceDataWriter(store, path, schema, columns, version, options, zoned = zoned)
        )
      case None =>
        new LanceDeltaWriterFactory(
          plan.rowIdAt,
          RowConstraints.none,
          () => throw new IllegalStateException(s"$path: a DELETE has no new rows")
        )
    }
  }

  override def commit(messages: Array[WriterCommitMessage]): Unit = LanceErrors.translated {
    val columns = plan.evolution.fold(IndexedSeq.empty[NewColumns])(_.handOver())
    val files = TaskFiles.of(messages).copy(columns = columns)
    // Failed tasks have no message.
    val messagesOfTasks = messages.toIndexedSeq.collect { case m: DeltaMessage => m }
    val changed = tableCommit.preparing(files)(ChangedRows(messagesOfTasks))
    tableCommit.change(files)(publish(changed, files)): Unit
  }

  private def publish(changed: ChangedRows, files: TaskFiles): LanceTable = {
    val added = files.fragments
    // Rows that a MERGE inserts did not match the rows of the version that it read.
    val options = plan.options.info.options.copy(unlessRowsChanged = changed.counts.inserted > 0)
    val properties =
      plan.options.info.properties ++ changed.counts.properties ++ CommitInfo.by(plan.statement)
    plan.evolution match {
      case Some(e) => e.commit(files.columns, changed.rows, added, properties, options)
      case None if added.isEmpty =>
        plan.table.delete(changed.rows, plan.condition, properties, options)
      case None =>
        val fields = plan.newRows.toSeq.flatMap(_.schema.flatten).map(_.id).toSet
        plan.table.update(changed.rows, added, fields, properties, options)
    }
  }

  override def abort(messages: Array[WriterCommitMessage]): Unit =
    tableCommit.abort(TaskFiles.of(messages))
}
