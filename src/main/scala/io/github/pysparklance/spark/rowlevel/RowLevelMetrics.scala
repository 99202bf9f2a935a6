// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.connector.metric.CustomSumMetric

/** Rows that are gone. */
final class DeletedRowsMetric extends CustomSumMetric {
  def name(): String = RowLevelMetrics.DeletedRows
  def description(): String = "rows deleted"
}

/** Rows that have new values. */
final class UpdatedRowsMetric extends CustomSumMetric {
  def name(): String = RowLevelMetrics.UpdatedRows
  def description(): String = "rows updated"
}

/** Rows that are new. */
final class InsertedRowsMetric extends CustomSumMetric {
  def name(): String = RowLevelMetrics.InsertedRows
  def description(): String = "rows inserted"
}

/** What DELETE, UPDATE and MERGE count besides what every write counts. */
private[rowlevel] object RowLevelMetrics {
  val DeletedRows = "lanceDeletedRows"
  val UpdatedRows = "lanceUpdatedRows"
  val InsertedRows = "lanceInsertedRows"
}

/** Rows that a command changed. */
final private[spark] case class RowCounts(deleted: Long, updated: Long, inserted: Long) {

  /** Both together. */
  def +(other: RowCounts): RowCounts =
    RowCounts(deleted + other.deleted, updated + other.updated, inserted + other.inserted)

  /** As they are noted with the version that the command made. */
  def notes: Map[String, String] = Map(
    "lance.spark.deletedRows" -> deleted.toString,
    "lance.spark.updatedRows" -> updated.toString,
    "lance.spark.insertedRows" -> inserted.toString
  )
}

private[spark] object RowCounts {
  val none: RowCounts = RowCounts(0, 0, 0)
}
