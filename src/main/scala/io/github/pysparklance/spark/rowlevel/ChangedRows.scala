// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import io.github.pysparklance.spark.rows.TouchedRows
import io.github.pysparklance.spark.shim.RowLevelTables
import io.github.pysparklance.table.deletion.DeletionVector

/** The rows that a command removes from their fragments, in all tasks.
  *
  * @param rows offsets of deleted and updated rows by fragment id
  * @param counts numbers of changed rows
  */
final private[rowlevel] case class ChangedRows(
    rows: Map[Long, DeletionVector],
    counts: RowCounts
)

/** Merges the rows of tasks. */
private[rowlevel] object ChangedRows {

  /** Merges the rows of all tasks. A row may be deleted by several tasks.
    *
    * Spark checks within a task that a MERGE changes each row once. But the join can pass a row of
    * the target to several tasks, because adaptive execution splits skewed partitions of the source
    * and repeats the matching partitions of the target. So this method also checks across tasks.
    *
    * @throws org.apache.spark.SparkRuntimeException if a row is updated, and updated again or
    *   deleted (`MERGE_CARDINALITY_VIOLATION`)
    */
  def apply(tasks: Seq[DeltaMessage]): ChangedRows = {
    val deleted = TouchedRows.union(tasks.map(_.deleted))
    val updated = TouchedRows.union(tasks.map(_.updated))
    val counts = tasks.map(_.counts).foldLeft(RowCounts.none)(_ + _)
    val isDeletedToo = updated.exists { case (id, rows) =>
      deleted.get(id).exists(_.intersects(rows))
    }
    if (isDeletedToo || numRows(updated) != counts.updated)
      throw RowLevelTables.mergeCardinalityViolation()
    val all = deleted ++ updated.map { case (id, rows) =>
      id -> deleted.get(id).fold(rows)(_.union(rows))
    }
    ChangedRows(all, counts.copy(deleted = numRows(deleted)))
  }

  private def numRows(rows: Map[Long, DeletionVector]): Long =
    rows.valuesIterator.map(_.numDeletedRows).sum
}
