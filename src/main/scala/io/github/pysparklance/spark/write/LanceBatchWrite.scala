// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{
  BatchWrite,
  DataWriter,
  DataWriterFactory,
  PhysicalWriteInfo,
  WriterCommitMessage
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{
  CommitConflictException,
  InvalidRequestException,
  Log,
  Place,
  Schema
}
import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.UncommittedFiles
import io.github.pysparklance.table.manifest.{BasePath, Fragment}

/** A write over all tasks. Each task leaves files that no version names; the commit makes those of the tasks that
  * Spark accepted visible in one step, whatever was retried or run twice.
  */
final private[write] class LanceBatchWrite(plan: WritePlan, record: CommitRecord)
    extends BatchWrite {

  private val visible = new VisibleFiles

  private val isElsewhere = plan.bases.exists(_.isDefined)

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory =
    new LanceWriterFactory(
      if (isElsewhere) plan.location.store else plan.location.taskStore(None),
      plan.location.path,
      plan.schema,
      plan.columns,
      plan.fileVersion,
      plan.options,
      plan.steps,
      plan.bases
    )

  override def commit(messages: Array[WriterCommitMessage]): Unit = LanceErrors.translated {
    try {
      record.of(plan.base.map(_.version)) {
        val rows = WrittenRows(fragments(messages), keys(messages))
        checkCount(rows)
        visible.by(plan.publish(rows))
      }
      warnOfVectors(messages)
    } catch {
      // The same write was run at the same time, and the other one came first.
      case e: CommitConflictException if !e.retryable && isCommittedByOthers =>
        LanceBatchWrite.log.warn(s"${plan.location.path}: skipped, another attempt committed it", e)
        removeFiles(messages)
    }
  }

  private def checkCount(rows: WrittenRows): Unit = plan.options.expectedRows.foreach { expected =>
    val found = rows.fragments.iterator.flatMap(_.physicalRows).sum
    if (found != expected)
      throw new InvalidRequestException(
        s"the write has $found rows, and option expectedRows says $expected: nothing was committed",
        Place(path = Some(plan.location.path))
      )
  }

  private def isCommittedByOthers: Boolean = plan.base.exists(plan.options.notes.areIn)

  override def abort(messages: Array[WriterCommitMessage]): Unit =
    visible.orElse(removeFiles(messages))

  private def removeFiles(messages: Array[WriterCommitMessage]): Unit =
    UncommittedFiles.remove(
      plan.location.store,
      plan.location.path,
      fragments(messages),
      plan.bases.flatten
    )

  private def fragments(messages: Array[WriterCommitMessage]): IndexedSeq[Fragment] =
    messages.toIndexedSeq.flatMap(fragments(_))

  private def fragments(message: WriterCommitMessage): IndexedSeq[Fragment] = message match {
    case LanceCommitMessage(written, _) => written.map(Fragment.parse)
    case KeyedCommitMessage(written, _) => fragments(written)
    case _ => IndexedSeq.empty // tasks that failed left none
  }

  /** Plans of Spark lose the metadata that tells vectors from lists, for instance `first(v)` and pandas UDFs. */
  private def warnOfVectors(messages: Array[WriterCommitMessage]): Unit = {
    def lengths(message: WriterCommitMessage): Option[Map[String, Int]] = message match {
      case LanceCommitMessage(_, found) => Some(found)
      case KeyedCommitMessage(written, _) => lengths(written)
      case _ => None
    }
    def isNew(column: String) = plan.base.forall { table =>
      plan.options.overwriteSchema || table.schema.field(column).isEmpty
    }
    ArrayLengths.vectors(messages.toSeq.flatMap(lengths)).filter(v => isNew(v._1)).foreach {
      case (column, size) =>
        LanceBatchWrite.log.warn(
          s"""${plan.location.path}: all arrays of the new column "$column" have $size items, and it is written as a """ +
            "list column, which no vector index takes. To make it a vector column, set the option or table property " +
            s"column.$column.arrow.fixed-size-list.size = $size"
        )
    }
  }

  private def keys(messages: Array[WriterCommitMessage]): Seq[InternalRow] =
    messages.iterator
      .collect { case KeyedCommitMessage(_, found) => found }
      .flatten
      .toIndexedSeq
      .distinct
}

private object LanceBatchWrite {
  private val log = Log(classOf[LanceBatchWrite])
}

/** The fragments of one task, as their messages' bytes.
  *
  * @param arrayLengths see [[ArrayLengths.found]]
  */
final private[spark] case class LanceCommitMessage(
    fragments: IndexedSeq[Array[Byte]],
    arrayLengths: Map[String, Int] = Map.empty
) extends WriterCommitMessage

/** Goes to the executors. */
final private class LanceWriterFactory(
    store: FileStore,
    path: String,
    schema: Schema,
    columns: StructType,
    fileVersion: FileVersion,
    options: WriteOptions,
    steps: RowSteps = RowSteps(),
    bases: IndexedSeq[Option[BasePath]] = IndexedSeq(None)
) extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] = {
    val turns = bases.indices.map(i => bases((i + partitionId) % bases.length))
    steps.around(
      new LanceDataWriter(store, path, schema, columns, fileVersion, options, turns)
    )
  }
}
