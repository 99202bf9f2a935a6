// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.DataWriter
import org.apache.spark.sql.execution.metric.CustomMetrics
import org.apache.spark.sql.types.StructType
import org.apache.spark.{TaskContext, TaskKilledException}

import io.github.pysparklance.core.{CorruptFileException, Interrupts, LanceException, Place, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.index.zones.{FragmentZones, ZonedColumns}
import io.github.pysparklance.spark.columns.ColumnBuilder
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.metrics.TaskMetric
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.{FragmentWriter, UncommittedFiles}
import io.github.pysparklance.table.manifest.{BasePath, Fragment}

/** Writes the rows of one task: gathers some thousand of them into columns, hands those to the file, and starts the
  * next file when one is full. Hot code.
  *
  * @param zoned columns whose zones are gathered
  * @param isKilled whether Spark drops what this task says
  */
final private[spark] class LanceDataWriter(
    store: FileStore,
    path: String,
    schema: Schema,
    columns: StructType,
    fileVersion: FileVersion,
    options: WriteOptions,
    bases: IndexedSeq[Option[BasePath]] = IndexedSeq(None),
    zoned: ZonedColumns = ZonedColumns.none,
    isKilled: () => Boolean = () => Option(TaskContext.get()).exists(_.isInterrupted())
) extends DataWriter[InternalRow] {
  private val builders =
    schema.fields.zip(columns).map { case (f, c) => ColumnBuilder(f, c.dataType) }.toArray
  private val lengths = new ArrayLengths(schema)
  private var gathered = 0
  private var nextLook = 1

  /** Bytes of the rows behind the last look: one may be as long as thousands before it. */
  private var unseenBytes = 0L
  private var batchRows = math.min(LanceDataWriter.BatchRows.toLong, options.maxRowsPerFile).toInt
  private var current: FragmentWriter = null
  private var done = IndexedSeq.empty[Fragment]
  private val zones = if (zoned.isEmpty) null else zoned.builder()
  private var zonesDone = IndexedSeq.empty[FragmentZones]
  private var filesOpened = 0
  private var rows = 0L
  private var bytes = 0L
  private var encodeNanos = 0L

  override def write(row: InternalRow): Unit =
    try gather(row)
    catch { case e: LanceException => throw LanceErrors.ofTask(path, e) }

  private def gather(row: InternalRow): Unit = {
    var i = 0
    while (i < builders.length) {
      builders(i).append(row, i)
      i += 1
    }
    gathered += 1
    row match {
      case r: UnsafeRow => unseenBytes += r.getSizeInBytes
      case _ => ()
    }
    val looks = gathered == nextLook || unseenBytes >= LanceDataWriter.BatchBytes
    if (gathered == batchRows || looks && isLarge) {
      // Not every source of rows ends a killed task.
      if (isKilled()) throw new TaskKilledException("the write was cancelled")
      flush()
    }
  }

  /** Rows between two looks at the size of the batch: a single blob can fill it. */
  private val mostUnseen = if (schema.flatten.exists(_.isBlob)) 1 else 64

  /** Long strings, vectors and blobs fill a batch before its rows are complete: how soon, the first rows tell. */
  private def isLarge: Boolean = {
    var size = 0L
    var i = 0
    while (i < builders.length) {
      size += builders(i).sizeInBytes
      i += 1
    }
    unseenBytes = 0L
    val perRow = size / gathered + 1
    nextLook =
      gathered + math.max(
        1,
        math.min(mostUnseen, (LanceDataWriter.BatchBytes - size) / perRow)
      ).toInt
    size >= LanceDataWriter.BatchBytes
  }

  private def flush(): Unit = LanceErrors.inTask(path) {
    if (gathered > 0) {
      val started = System.nanoTime()
      if (current == null) current = openFile()
      val columns = builders.toIndexedSeq.map(_.column)
      lengths.look(columns)
      if (zones != null) zones.add(columns, gathered)
      current.write(columns, gathered)
      builders.foreach(_.clear())
      rows += gathered
      gathered = 0
      nextLook = 1
      if (current.numRows >= options.maxRowsPerFile || current.reaches(options.maxBytesPerFile))
        finish()
      val room = options.maxRowsPerFile - (if (current == null) 0L else current.numRows)
      batchRows = math.min(LanceDataWriter.BatchRows.toLong, room).toInt
      encodeNanos += System.nanoTime() - started
    }
  }

  private def openFile(): FragmentWriter = {
    val base = bases(filesOpened % bases.length)
    filesOpened += 1
    FragmentWriter.open(store, path, schema, fileVersion, options.budget, base)
  }

  private def finish(): Unit =
    if (current != null) {
      val fragment = current.finish()
      current = null
      bytes += fragment.files.map(_.fileSizeBytes).sum
      done :+= fragment
      if (zones != null) zonesDone :+= zones.finish(fragment.files.head.path)
    }

  override def commit(): LanceCommitMessage = {
    flush()
    LanceErrors.inTask(path) {
      finish()
      checkRows()
    }
    // Spark has asked for the last time; what the last file became is to be counted as well.
    CustomMetrics.updateMetrics(currentMetricsValues().toSeq, Map.empty)
    LanceCommitMessage(done.map(_.toBytes), lengths.found, zonesDone)
  }

  /** No row may get lost between Spark and the files. */
  private def checkRows(): Unit = {
    val inFiles = done.iterator.flatMap(_.physicalRows).sum
    if (inFiles != rows)
      throw new CorruptFileException(
        s"the task was given $rows rows and its files hold $inFiles; nothing was committed",
        Place(path = Some(path))
      )
  }

  /** Removes the files of the task. A task that is killed comes here interrupted, which would break off the removal:
    * the interruption waits until it is done.
    */
  override def abort(): Unit =
    Interrupts.defer {
      try if (current != null) current.abort()
      finally {
        current = null
        val written = done
        done = IndexedSeq.empty
        UncommittedFiles.remove(store, path, written, bases.flatten)
      }
    }

  /** Comes last in any case. A file that is open then will never be committed, and nobody hears of those of a task that
    * is killed between its commit and here.
    */
  override def close(): Unit = if (current != null || isKilled()) abort()

  override def currentMetricsValues(): Array[CustomTaskMetric] = {
    val open = current != null
    val written = bytes + (if (open) current.numBytes else 0L)
    val files = done.length + (if (open || gathered > 0) 1 else 0)
    Array(
      TaskMetric(WriteMetrics.RowsWritten, rows + gathered),
      TaskMetric(WriteMetrics.FilesWritten, files.toLong),
      TaskMetric(WriteMetrics.BytesWritten, written),
      TaskMetric(WriteMetrics.EncodeTime, encodeNanos),
      TaskMetric(WriteMetrics.TaskRecords, rows + gathered),
      TaskMetric(WriteMetrics.TaskBytes, written)
    )
  }
}

private object LanceDataWriter {

  /** Rows gathered before they are encoded, at most. */
  val BatchRows: Int = 4096

  /** Bytes gathered before they are encoded, about. */
  val BatchBytes: Long = 4L << 20
}
