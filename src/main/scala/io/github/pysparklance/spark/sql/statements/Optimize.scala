// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.Optional
import io.github.pysparklance.spark.common.SqlExpression
import io.github.pysparklance.spark.jobs.{CompactionOutcome, OptimizeJob}
import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}

/** `OPTIMIZE`, which compacts fragments and removes deleted rows, or sorts rows in Z-order. */
private[spark] object Optimize extends Statement {
  override val usage: String =
    "OPTIMIZE t [WHERE condition] [ZORDER BY (column, ...)] [WITH (option = value, ...)]"

  override def begins(cursor: Cursor): Boolean = cursor.take("OPTIMIZE") && cursor.seesName

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("OPTIMIZE")
    val target = TableTarget(cursor.name())
    val where = Optional.when(cursor.take("WHERE")) {
      cursor.expression(Seq("ZORDER", "BY"), Seq("WITH", "("))
    }
    val columns = if (cursor.take("ZORDER", "BY")) zOrder(cursor) else Nil
    OptimizeCommand(target, where, columns, cursor.withOptions())
  }

  /** Parses the columns of ZORDER BY. Nested fields are paths with dots. */
  private def zOrder(cursor: Cursor): Seq[String] = {
    val inParentheses = cursor.take("(")
    val all = cursor.list(column(cursor))
    if (inParentheses) cursor.expect(")")
    all
  }

  private def column(cursor: Cursor): String =
    cursor.name().map(quoteIfNeeded).mkString(".")
}

/** Runs [[Optimize]].
  *
  * @param where SQL condition; only fragments with a matching row are rewritten
  * @param options see [[io.github.pysparklance.spark.jobs.CompactionRequest]]
  */
final private[spark] case class OptimizeCommand(
    target: TableTarget,
    where: Option[String],
    zOrderBy: Seq[String],
    options: Map[String, String]
) extends CommittingCommand(CompactionOutcome.schema) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "OPTIMIZE").toChange
    val condition = where.map(text => expr(SqlExpression.check(session, text)))
    val done = OptimizeJob.run(loaded.job, options, condition, zOrderBy, loaded.rows)
    loaded.changed()
    Seq(done.row)
  }
}
