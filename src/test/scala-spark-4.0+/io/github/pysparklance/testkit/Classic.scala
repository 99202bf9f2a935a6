// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.{Dataset, SparkSession, classic}

/** Hides the package `sql.classic`, where sessions and frames of the driver are since Spark 4.0. */
object Classic {
  type Session = classic.SparkSession

  def session(session: SparkSession): Session = session.asInstanceOf[classic.SparkSession]

  def execution(frame: Dataset[_]): QueryExecution =
    frame.asInstanceOf[classic.Dataset[_]].queryExecution
}
