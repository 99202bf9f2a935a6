// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.metadata.IndexStatsView
import io.github.pysparklance.spark.sql.{Cursor, Statement, TableCommand, TableTarget}

/** `SHOW INDEXES`, which lists the indices of a table. */
private[spark] object ShowIndexes extends Statement {
  override val usage: String = "SHOW {INDEXES | INDEX} {IN | FROM} t"

  override def begins(cursor: Cursor): Boolean =
    (cursor.take("SHOW", "INDEXES") || cursor.take("SHOW", "INDEX")) &&
      (cursor.sees("IN") || cursor.sees("FROM"))

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("SHOW")
    if (!cursor.take("INDEX")) cursor.expect("INDEXES")
    if (!cursor.take("IN")) cursor.expect("FROM")
    ShowIndexesCommand(TableTarget(cursor.name()))
  }
}

/** Runs [[ShowIndexes]]. */
final private[spark] case class ShowIndexesCommand(target: TableTarget)
    extends TableCommand(IndexStatsView.schema) {

  override protected def rows(session: SparkSession): Seq[Row] =
    IndexStatsView.rows(target.load(session, "SHOW INDEXES").table)
}
