// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.commit.StatementRetry
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.rowlevel.{RetriableCommand, RetriableStatement}
import io.github.pysparklance.spark.shim.DriverCommand
import io.github.pysparklance.table.transaction.Retry

/** A parsed Lance statement, or a procedure call.
  *
  * @param resultSchema columns of the returned rows
  */
abstract private[spark] class TableCommand(resultSchema: StructType)
    extends DriverCommand(resultSchema) {

  /** Runs the statement once. May throw exceptions of the connector. */
  protected def rows(session: SparkSession): Seq[Row]

  final override def execute(session: SparkSession): Seq[Row] =
    LanceErrors.translated(rows(session))
}

/** A statement that commits. It loads its table in each run, so that a retry runs on the latest
  * version.
  */
abstract private[spark] class CommittingCommand(resultSchema: StructType)
    extends TableCommand(resultSchema)
    with RetriableCommand {

  final override def retry: Retry = Retry()

  final override def onLatest: Option[RetriableStatement] = Some(this)

  final override def executeUnplanned(session: SparkSession): Seq[Row] =
    LanceErrors.translated(StatementRetry(retry)(execute(session)))
}
