// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.apache.spark.sql.{classic, Column, DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.execution.QueryExecution

/** Hides the package `sql.classic`, where sessions and frames of the driver are since Spark 4.0. */
object Classic {
  type Session = classic.SparkSession

  def session(session: SparkSession): Session = session.asInstanceOf[classic.SparkSession]

  def execution(frame: Dataset[_]): QueryExecution =
    frame.asInstanceOf[classic.Dataset[_]].queryExecution

  /** `MERGE INTO` a table the rows that match none of it. Frames have `mergeInto` since Spark 4.0. */
  def insertNew(
      frame: DataFrame,
      table: String,
      condition: Column,
      withSchemaEvolution: Boolean = false
  ): Unit = {
    val merge = frame.mergeInto(table, condition).whenNotMatched().insertAll()
    (if (withSchemaEvolution) merge.withSchemaEvolution() else merge).merge()
  }
}
