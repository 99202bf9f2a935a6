// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.apache.spark.sql.{Column, DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.execution.QueryExecution

/** Hides the package `sql.classic`, where sessions and frames of the driver are since Spark 4.0. */
object Classic {
  type Session = SparkSession

  def session(session: SparkSession): Session = session

  def execution(frame: Dataset[_]): QueryExecution = frame.queryExecution

  /** `MERGE INTO` a table the rows that match none of it. Frames have `mergeInto` since Spark 4.0. */
  def insertNew(
      frame: DataFrame,
      table: String,
      condition: Column,
      withSchemaEvolution: Boolean = false
  ): Unit = {
    frame.createOrReplaceTempView("merged_frame")
    val evolution = if (withSchemaEvolution) "WITH SCHEMA EVOLUTION" else ""
    frame.sparkSession.sql(
      s"MERGE $evolution INTO $table USING merged_frame ON ${condition.expr.sql} WHEN NOT MATCHED THEN INSERT *"
    ): Unit
  }
}
