// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.jobs.Reruns
import io.github.pysparklance.spark.shim.DriverCommand

/** What a statement of ours does, once it is read: for SQL and procedures alike.
  *
  * @param answer columns of the rows that it answers with
  */
abstract private[spark] class TableCommand(answer: StructType) extends DriverCommand(answer) {

  /** Does it. Errors of ours become Spark's. */
  protected def rows(session: SparkSession): Seq[Row]

  /** When somebody else's commit was faster, the statement looks the table up again and does the same on its newest
    * version.
    */
  final override def execute(session: SparkSession): Seq[Row] = Reruns(rows(session))
}
