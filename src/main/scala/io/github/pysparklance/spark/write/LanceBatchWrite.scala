// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import java.io.IOException

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{
  BatchWrite,
  DataWriter,
  DataWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{CommitStateUnknownException, Schema}
import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.spark.common.{LanceErrors, TableLocation}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.blob.BlobSideFiles
import io.github.pysparklance.table.manifest.Fragment

/** A write over all tasks. Each task leaves files that no version names; the commit makes those of the tasks that
  * Spark accepted visible in one step, whatever was retried or run twice.
  */
final private[write] class LanceBatchWrite(plan: WritePlan) extends BatchWrite {

  /** Set when nobody knows whether the version is there: then its files have to stay. */
  private var commitStateUnknown = false

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory =
    new LanceWriterFactory(
      plan.location.taskStore(None),
      plan.location.path,
      plan.schema,
      plan.columns,
      plan.fileVersion,
      plan.options
    )

  override def commit(messages: Array[WriterCommitMessage]): Unit = LanceErrors.translated {
    try plan.publish(fragments(messages))
    catch {
      case e: CommitStateUnknownException =>
        commitStateUnknown = true
        throw e
    }
  }

  override def abort(messages: Array[WriterCommitMessage]): Unit =
    if (!commitStateUnknown) WrittenFiles.delete(plan.location, fragments(messages))

  private def fragments(messages: Array[WriterCommitMessage]): IndexedSeq[Fragment] =
    messages.toIndexedSeq.flatMap {
      case LanceCommitMessage(written) => written.map(Fragment.parse)
      case _ => IndexedSeq.empty // tasks that failed left none
    }
}

/** The fragments of one task, as their messages' bytes. */
final private[write] case class LanceCommitMessage(fragments: IndexedSeq[Array[Byte]])
    extends WriterCommitMessage

/** Goes to the executors. */
final private class LanceWriterFactory(
    store: FileStore,
    path: String,
    schema: Schema,
    columns: StructType,
    fileVersion: FileVersion,
    options: WriteOptions
) extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    new LanceDataWriter(store, path, schema, columns, fileVersion, options)
}

/** Files that were written but not committed. */
private[write] object WrittenFiles {

  /** Removes the data files of fragments that no version names. What cannot be removed is left to clean-up. */
  def delete(location: TableLocation, fragments: IndexedSeq[Fragment]): Unit =
    delete(location.store, location.path, fragments)

  /** The same, in a task. */
  def delete(store: FileStore, path: String, fragments: IndexedSeq[Fragment]): Unit = {
    val folder = TablePath(path).folder(LanceTable.dataFolder)
    for (fragment <- fragments; file <- fragment.files) {
      val dataFile = folder.resolve(file.path)
      try store.delete(dataFile): Unit
      catch { case _: IOException => () }
      BlobSideFiles.delete(store, dataFile, file.path)
    }
  }
}
