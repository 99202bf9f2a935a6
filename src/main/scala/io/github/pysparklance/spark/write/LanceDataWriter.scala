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
import io.github.pysparklance.table.manifest.{BasePath, Fragment}
import io.github.pysparklance.table.{FragmentWriter, UncommittedFiles}

/** Writes the rows of a task. Buffers a few thousand rows as columns, writes them to the current
  * file, and starts a new file when it is full. Hot code.
  *
  * @param zoned columns whose zones are computed
  * @param isKilled returns whether the task was killed, so that Spark ignores its result
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

  /** Size of the rows since the last size check, because a single row can be larger than thousands
    * of others.
    */
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
      // Some sources of rows do not stop when a task is killed.
      if (isKilled()) throw new TaskKilledException("the write was canceled")
      flush()
    }
  }

  /** Maximum rows between size checks. A single blob can fill a batch. */
  private val mostUnseen = if (schema.flatten.exists(_.isBlob)) 1 else 64

  /** Whether the batch is large, because long strings, vectors, or blobs can fill it before it has
    * the maximum number of rows. The first rows determine the next size check.
    */
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
    // Spark does not read the metrics of a writer after the commit, so the final values are
    // reported here.
    CustomMetrics.updateMetrics(currentMetricsValues().toSeq, Map.empty)
    LanceCommitMessage(done.map(_.toBytes), lengths.found, zonesDone)
  }

  /** Checks that all rows are in the files. */
  private def checkRows(): Unit = {
    val inFiles = done.iterator.flatMap(_.physicalRows).sum
    if (inFiles != rows)
      throw new CorruptFileException(
        s"the task was given $rows rows and its files hold $inFiles; nothing was committed",
        Place(path = Some(path))
      )
  }

  /** Deletes the files of the task. Deferred, because the interrupt of a killed task would abort
    * the removal.
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

  /** Called last, also on failure. Deletes the files if a file is still open, or if the task was
    * killed, because they will never be committed.
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

  /** Maximum rows per batch. */
  val BatchRows: Int = 4096

  /** Approximate maximum bytes per batch. */
  val BatchBytes: Long = 4L << 20
}
