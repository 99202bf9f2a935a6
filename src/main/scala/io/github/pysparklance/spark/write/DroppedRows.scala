// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{
  BatchWrite,
  DataWriter,
  DataWriterFactory,
  PhysicalWriteInfo,
  Write,
  WriterCommitMessage
}

import io.github.pysparklance.core.Log
import io.github.pysparklance.spark.commit.AppTransaction

/** A write that the table already contains. Its rows are dropped, and nothing is committed. */
final private class RepeatedWrite(path: String, transaction: AppTransaction)
    extends Write
    with BatchWrite {

  override def description(): String =
    s"lance $path, which has write ${transaction.version} of ${transaction.appId} already"

  override def toBatch: BatchWrite = this

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory = DroppedRows

  override def commit(messages: Array[WriterCommitMessage]): Unit =
    RepeatedWrite.log.info(s"${description()}: skipped")

  override def abort(messages: Array[WriterCommitMessage]): Unit = ()
}

private object DroppedRows extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    new DataWriter[InternalRow] {
      override def write(row: InternalRow): Unit = ()
      override def commit(): WriterCommitMessage = LanceCommitMessage(IndexedSeq.empty)
      override def abort(): Unit = ()
      override def close(): Unit = ()
    }
}

private object RepeatedWrite {
  val log: Log = Log(classOf[RepeatedWrite])
}
