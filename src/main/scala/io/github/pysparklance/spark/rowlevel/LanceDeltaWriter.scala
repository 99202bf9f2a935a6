// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{
  DeltaWriter,
  DeltaWriterFactory,
  WriterCommitMessage
}
import org.apache.spark.sql.execution.metric.CustomMetrics

import io.github.pysparklance.index.zones.FragmentZones
import io.github.pysparklance.spark.commit.FragmentMessage
import io.github.pysparklance.spark.metrics.TaskMetric
import io.github.pysparklance.spark.rows.TouchedRows
import io.github.pysparklance.spark.shim.RowLevelTables
import io.github.pysparklance.spark.write.steps.RowConstraints
import io.github.pysparklance.spark.write.{LanceCommitMessage, LanceDataWriter}
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.RowIdSequence

/** The result of a task.
  *
  * @param deleted deleted rows, see [[TouchedRows.toBytes]]
  * @param updated rows with new values, likewise
  * @param fragments serialized new fragments; fragments with moved rows come first
  * @param counts numbers of changed rows
  * @param zones zones of the new fragments
  */
final private[rowlevel] case class DeltaMessage(
    deleted: Map[Long, Array[Byte]],
    updated: Map[Long, Array[Byte]],
    fragments: IndexedSeq[Array[Byte]],
    counts: RowCounts,
    override val zones: IndexedSeq[FragmentZones]
) extends FragmentMessage

/** Creates writers. Serialized to the executors.
  *
  * @param rowIdAt see [[DeltaPlan]]
  * @param constraints constraints on rows with new values
  * @param newWriter creates writers of new fragments
  */
final private[rowlevel] class LanceDeltaWriterFactory(
    rowIdAt: Option[Int],
    constraints: RowConstraints,
    newWriter: LanceDeltaWriterFactory.NewWriter
) extends DeltaWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DeltaWriter[InternalRow] =
    new LanceDeltaWriter(rowIdAt, constraints, newWriter)
}

/** The types of writer factories. */
private[rowlevel] object LanceDeltaWriterFactory {

  /** Creates a writer of rows in a task. */
  trait NewWriter extends Serializable {
    def apply(): LanceDataWriter
  }
}

/** Collects the addresses of deleted and updated rows, and writes rows with new values to new
  * fragments. Rows that keep their stable id are written to separate fragments, because a fragment
  * with both must begin with them. Hot code.
  */
final private class LanceDeltaWriter(
    rowIdAt: Option[Int],
    constraints: RowConstraints,
    newWriter: LanceDeltaWriterFactory.NewWriter
) extends DeltaWriter[InternalRow] {
  private val deletedRows = new TouchedRows
  private val updatedRows = new TouchedRows
  private val keepsIds = rowIdAt.isDefined
  private val idAt = rowIdAt.getOrElse(0)
  private val ids = new mutable.ArrayBuilder.ofLong
  private var movedRows: LanceDataWriter = null
  private var newRows: LanceDataWriter = null
  private var deleted = 0L
  private var updated = 0L
  private var inserted = 0L

  /** A row may be deleted more than once, because several source rows of a MERGE may match it. */
  override def delete(metadata: InternalRow, id: InternalRow): Unit =
    if (deletedRows.add(id.getLong(0))) deleted += 1

  override def update(metadata: InternalRow, id: InternalRow, row: InternalRow): Unit = {
    if (!updatedRows.add(id.getLong(0))) throw RowLevelTables.mergeCardinalityViolation()
    if (keepsIds) {
      if (movedRows == null) movedRows = newWriter()
      constraints.check(row)
      movedRows.write(row)
      ids += metadata.getLong(idAt)
    } else write(row)
    updated += 1
  }

  override def insert(row: InternalRow): Unit = {
    write(row)
    inserted += 1
  }

  override def write(row: InternalRow): Unit = {
    if (newRows == null) newRows = newWriter()
    constraints.check(row)
    newRows.write(row)
  }

  private def writers: Seq[LanceDataWriter] = Seq(movedRows, newRows).filter(_ != null)

  override def commit(): WriterCommitMessage = {
    val (movedFiles, newFiles) = (committed(movedRows), committed(newRows))
    val moved = withIds(movedFiles.fragments)
    // Spark does not read the metrics of a writer after the commit, so they are reported here.
    CustomMetrics.updateMetrics(currentMetricsValues().toSeq, Map.empty)
    val counts = RowCounts(deleted, updated, inserted)
    DeltaMessage(
      deletedRows.toBytes,
      updatedRows.toBytes,
      moved.map(_.toBytes) ++ newFiles.fragments,
      counts,
      movedFiles.zones ++ newFiles.zones
    )
  }

  private def committed(writer: LanceDataWriter): LanceCommitMessage =
    if (writer == null) LanceCommitMessage(IndexedSeq.empty) else writer.commit()

  /** Assigns row ids to fragments. The ids are in the order of the rows, which fill one fragment
    * after another.
    */
  private def withIds(fragments: IndexedSeq[Array[Byte]]): IndexedSeq[Fragment] = {
    val all = ids.result()
    var from = 0
    fragments.map { bytes =>
      val f = Fragment.parse(bytes)
      val rows = f.physicalRows.getOrElse(0L)
      val until = from + Math.toIntExact(rows)
      val sequence = RowIdSequence.of(all.slice(from, until)).toBytes
      from = until
      Fragment.unassigned(f.files, rows, Some(sequence))
    }
  }

  override def abort(): Unit = writers match {
    case Seq(one, other) =>
      try one.abort()
      finally other.abort()
    case some => some.foreach(_.abort())
  }

  override def close(): Unit = writers.foreach(_.close())

  override def currentMetricsValues(): Array[CustomTaskMetric] = {
    val written = mutable.LinkedHashMap.empty[String, Long]
    for (w <- writers; m <- w.currentMetricsValues())
      written(m.name()) = written.getOrElse(m.name(), 0L) + m.value()
    val counted = Array[CustomTaskMetric](
      TaskMetric(RowLevelMetrics.DeletedRows, deleted),
      TaskMetric(RowLevelMetrics.UpdatedRows, updated),
      TaskMetric(RowLevelMetrics.InsertedRows, inserted)
    )
    counted ++ written.map { case (name, value) => TaskMetric(name, value) }
  }
}
