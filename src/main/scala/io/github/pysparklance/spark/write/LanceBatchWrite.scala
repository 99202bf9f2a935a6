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

import io.github.pysparklance.core.{InvalidRequestException, Log, Place, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.index.zones.{FragmentZones, ZonedColumns}
import io.github.pysparklance.spark.commit.{FragmentMessage, TableCommit, TaskFiles}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.columns.NewColumns
import io.github.pysparklance.table.manifest.BasePath

/** Writes the rows of a statement in tasks. Each task writes uncommitted files. The commit adds the
  * files of the task attempts that Spark accepted, in one step.
  */
final private[write] class LanceBatchWrite(plan: WritePlan, record: CommitRecord)
    extends BatchWrite {

  private val tableCommit = TableCommit.ofNew(plan.location, plan.base, plan.options.info)

  override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory =
    LanceWriterFactory(plan)

  override def commit(messages: Array[WriterCommitMessage]): Unit = LanceErrors.translated {
    val ofTasks = files(messages)
    val ofStatement = plan.evolution.fold(IndexedSeq.empty[NewColumns])(_.handOver())
    val all = ofTasks.copy(columns = ofStatement)
    val isCommitted = record.of(plan.base.map(_.version)) {
      tableCommit.run(all) {
        val rows = WrittenRows(all.fragments, keys(messages), ofStatement, all.zones)
        checkCount(rows)
        plan.publish(rows)
      }.published
    }
    if (isCommitted) warnOfVectors(messages)
  }

  private def checkCount(rows: WrittenRows): Unit = plan.options.expectedRows.foreach { expected =>
    val found = rows.fragments.iterator.flatMap(_.physicalRows).sum
    if (found != expected)
      throw new InvalidRequestException(
        s"the write has $found rows, and option expectedRows says $expected: nothing was committed",
        Place(path = Some(plan.location.path))
      )
  }

  override def abort(messages: Array[WriterCommitMessage]): Unit =
    tableCommit.abort(files(messages))

  private def files(messages: Array[WriterCommitMessage]): TaskFiles =
    TaskFiles.of(messages).copy(bases = plan.bases.flatten)

  /** Warns about vectors that are written as lists. Some Spark operations lose the metadata that
    * distinguishes them, such as `first(v)` and pandas UDFs.
    */
  private def warnOfVectors(messages: Array[WriterCommitMessage]): Unit = {
    def lengths(message: WriterCommitMessage): Option[Map[String, Int]] = message match {
      case LanceCommitMessage(_, found, _) => Some(found)
      case KeyedCommitMessage(written, _) => Some(written.arrayLengths)
      case _ => None
    }
    def isNew(column: String) = plan.base.forall { table =>
      plan.options.overwriteSchema || table.schema.field(column).isEmpty
    }
    ArrayLengths.vectors(messages.toSeq.flatMap(lengths)).filter(v => isNew(v._1)).foreach {
      case (column, size) =>
        LanceBatchWrite.log.warn(
          s"""${plan.location.path}: all arrays of the new column "$column" have $size items, and it is """ +
            "written as a list column, which no vector index takes. To make it a vector column, set the " +
            s"option or table property column.$column.arrow.fixed-size-list.size = $size"
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

/** The serialized fragments of a task.
  *
  * @param arrayLengths see [[ArrayLengths.found]]
  */
final private[spark] case class LanceCommitMessage(
    fragments: IndexedSeq[Array[Byte]],
    arrayLengths: Map[String, Int] = Map.empty,
    override val zones: IndexedSeq[FragmentZones] = IndexedSeq.empty
) extends FragmentMessage

/** Creates writers. Serialized to the executors. */
final private[spark] class LanceWriterFactory(
    store: FileStore,
    path: String,
    schema: Schema,
    columns: StructType,
    fileVersion: FileVersion,
    options: WriteOptions,
    steps: RowSteps = RowSteps(),
    bases: IndexedSeq[Option[BasePath]] = IndexedSeq(None),
    zoned: ZonedColumns = ZonedColumns.none
) extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] = {
    val turns = bases.indices.map(i => bases((i + partitionId) % bases.length))
    steps.around(
      new LanceDataWriter(store, path, schema, columns, fileVersion, options, turns, zoned)
    )
  }
}

private[spark] object LanceWriterFactory {

  /** Returns the factory of a planned write. */
  def apply(plan: WritePlan): LanceWriterFactory = {
    val isElsewhere = plan.bases.exists(_.isDefined)
    val zoned = ZonedColumns.of(
      plan.schema,
      plan.options.zoneMaps,
      plan.base.fold(plan.options.enableStableRowIds)(_.hasStableRowIds),
      plan.base
    )
    new LanceWriterFactory(
      if (isElsewhere) plan.location.store else plan.location.taskStore(None),
      plan.location.path,
      plan.schema,
      plan.columns,
      plan.fileVersion,
      plan.options,
      plan.steps,
      plan.bases,
      zoned
    )
  }
}
