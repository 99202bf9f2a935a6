// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.connector.write.{
  DataWriter,
  DataWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}

import io.github.pysparklance.spark.commit.{AppTransaction, CommitInfo, TableCommit, TaskFiles}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.write.{DistributedWrite, LanceWriterFactory, WriteMetrics}

/** The write of a micro-batch in Spark's plan and UI. */
final private[sink] class SinkWrite(plan: SinkPlan)
    extends DistributedWrite(plan.options.distribution) {

  override def description(): String =
    s"lance ${plan.table.path}, files of version ${plan.rows.fileVersion}"

  override def toStreaming: StreamingWrite = new SinkStreamingWrite(plan)

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all
}

/** Writes the rows of a micro-batch in tasks, and commits them once.
  *
  * {{{
  *   tasks       write files with new random names; no micro-batch reuses a name
  *   commit      adds (query id, epoch) to the commit, see AppTransaction
  *   repetition  the table has (query id, epoch): deletes the files, commits nothing
  * }}}
  * A query repeats its last micro-batch after a restart if the checkpoint does not record its
  * commit. If storage does not report whether the version was committed, the query fails. The
  * repetition after its restart finds the outcome. A micro-batch without rows creates no version,
  * except in output mode complete.
  */
final private class SinkStreamingWrite(plan: SinkPlan) extends StreamingWrite {
  private var committing: Option[TableCommit] = None

  override def createStreamingWriterFactory(info: PhysicalWriteInfo): StreamingDataWriterFactory =
    new SinkWriterFactory(LanceWriterFactory(plan.rows))

  override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
    LanceErrors.translated {
      val files = filesOf(messages)
      if (!plan.isEmpty(files)) {
        val info = infoOf(epochId)
        val done = commitOf(info).run(files)(plan.publish(info, files)).published
        done.flatMap(_.latest).foreach { table =>
          val previous = plan.lastEpoch
          StreamCompaction.after(epochId, previous, plan.sinkOptions, plan.rows.location, table)
        }
      }
    }

  override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
    commitOf(infoOf(epochId)).abort(filesOf(messages))

  private def infoOf(epochId: Long): CommitInfo =
    plan.options.info.once(AppTransaction(plan.queryId, epochId))

  /** Spark also aborts a micro-batch after a failed commit. */
  private def commitOf(info: CommitInfo): TableCommit = committing.getOrElse {
    val begun = TableCommit(plan.table, info)
    committing = Some(begun)
    begun
  }

  private def filesOf(messages: Array[WriterCommitMessage]): TaskFiles =
    TaskFiles.of(messages).copy(bases = plan.rows.bases.flatten)
}

/** Creates writers. Serialized to the executors. */
final private class SinkWriterFactory(rows: DataWriterFactory) extends StreamingDataWriterFactory {
  override def createWriter(
      partitionId: Int,
      taskId: Long,
      epochId: Long
  ): DataWriter[InternalRow] = rows.createWriter(partitionId, taskId)
}
