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

import io.github.pysparklance.core.{CommitConflictException, Log}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.rows.TouchedRows
import io.github.pysparklance.spark.write.{CommitNotes, LanceDataWriter, VisibleFiles, WriteMetrics}
import io.github.pysparklance.table.UncommittedFiles
import io.github.pysparklance.table.manifest.Fragment

/** A planned DELETE, UPDATE or MERGE, for Spark's plan and its page in the UI. */
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

/** Deletes, changes and adds rows in one commit, based on the version that the rows were looked up in. What others
  * committed meanwhile stays, as long as it left these rows alone.
  */
final private class LanceDeltaBatchWrite(plan: DeltaPlan) extends DeltaBatchWrite {

  private val visible = new VisibleFiles

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DeltaWriterFactory = {
    val store = plan.location.taskStore(None)
    val (path, version) = (plan.table.path, plan.table.fileVersion)
    val (schema, columns, options) = (plan.schema, plan.columns, plan.options)
    new LanceDeltaWriterFactory(
      plan.rowIdAt,
      plan.constraints,
      () => new LanceDataWriter(store, path, schema, columns, version, options)
    )
  }

  private def isCommitted: Boolean = plan.options.notes.areIn(plan.table)

  override def commit(messages: Array[WriterCommitMessage]): Unit = LanceErrors.translated {
    try if (isCommitted) removeFiles(messages) else publish(messages)
    catch {
      // The same statement was run at the same time, and the other one came first.
      case e: CommitConflictException if !e.retryable && isCommitted =>
        LanceDeltaWrite.log.warn(s"${plan.table.path}: skipped, another attempt committed it", e)
        removeFiles(messages)
      case e: CommitConflictException if e.retryable && plan.rerun.isDefined =>
        removeFiles(messages)
        plan.rerun.get(e)
    }
  }

  private def publish(messages: Array[WriterCommitMessage]): Unit = {
    val (messagesOfTasks, added) = (done(messages), fragments(messages))
    val rows = TouchedRows.union(messagesOfTasks.map(_.touched))
    val options = plan.options.notes.options
    val counts = messagesOfTasks.map(_.counts).foldLeft(RowCounts.none)(_ + _)
    val notes =
      plan.options.notes.properties ++ counts.notes ++ CommitNotes.by(plan.statement)
    val fields = plan.schema.flatten.map(_.id).toSet
    visible.by {
      if (plan.evolution.isDefined) plan.evolution.get.commit(rows, added, notes, options)
      else if (added.isEmpty) plan.table.delete(rows, plan.condition, notes, options)
      else plan.table.update(rows, added, fields, notes, options)
    }: Unit
  }

  override def abort(messages: Array[WriterCommitMessage]): Unit =
    visible.orElse(removeFiles(messages))

  private def removeFiles(messages: Array[WriterCommitMessage]): Unit =
    UncommittedFiles.remove(plan.location.store, plan.table.path, fragments(messages))

  private def fragments(messages: Array[WriterCommitMessage]): IndexedSeq[Fragment] =
    done(messages).flatMap(_.fragments).map(Fragment.parse)

  /** Tasks that failed left no message. */
  private def done(messages: Array[WriterCommitMessage]): IndexedSeq[DeltaMessage] =
    messages.toIndexedSeq.collect { case m: DeltaMessage => m }
}

private object LanceDeltaWrite {
  val log: Log = Log(classOf[LanceDeltaWrite])
}
