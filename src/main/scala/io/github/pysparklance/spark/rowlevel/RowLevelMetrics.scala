// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.connector.metric.CustomSumMetric

/** Number of deleted rows. */
final class DeletedRowsMetric extends CustomSumMetric {
  def name(): String = RowLevelMetrics.DeletedRows
  def description(): String = "rows deleted"
}

/** Number of updated rows. */
final class UpdatedRowsMetric extends CustomSumMetric {
  def name(): String = RowLevelMetrics.UpdatedRows
  def description(): String = "rows updated"
}

/** Number of inserted rows. */
final class InsertedRowsMetric extends CustomSumMetric {
  def name(): String = RowLevelMetrics.InsertedRows
  def description(): String = "rows inserted"
}

/** Names of the metrics of DELETE, UPDATE, and MERGE, in addition to the metrics of writes. */
private[rowlevel] object RowLevelMetrics {
  val DeletedRows = "lanceDeletedRows"
  val UpdatedRows = "lanceUpdatedRows"
  val InsertedRows = "lanceInsertedRows"
}

/** Numbers of rows that a command changed. */
final private[spark] case class RowCounts(deleted: Long, updated: Long, inserted: Long) {

  /** Returns the sum of both. */
  def +(other: RowCounts): RowCounts =
    RowCounts(deleted + other.deleted, updated + other.updated, inserted + other.inserted)

  /** The commit properties with these numbers. */
  def properties: Map[String, String] = Map(
    "lance.spark.deletedRows" -> deleted.toString,
    "lance.spark.updatedRows" -> updated.toString,
    "lance.spark.insertedRows" -> inserted.toString
  )
}

/** Common values. */
private[spark] object RowCounts {
  val none: RowCounts = RowCounts(0, 0, 0)
}
