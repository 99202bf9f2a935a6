// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions.{expr, lit}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructField}
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.{InvalidRequestException, Optional}
import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.jobs.{ColumnJob, ColumnOutcome}
import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}

/** `ALTER TABLE … ADD COLUMNS` with columns computed from other columns. Spark runs the statement
  * if no column has an expression.
  */
private[spark] object AddComputedColumns extends Statement {
  override val usage: String =
    "ALTER TABLE t ADD {COLUMN | COLUMNS} (name [type] [COMMENT 'text'] AS (expression), ...)"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("ALTER", "TABLE") && cursor.takeName() && cursor.take("ADD") &&
      (cursor.take("COLUMNS") || cursor.take("COLUMN")) && cursor.containsInside("AS", "(")

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    cursor.expect("ADD")
    if (!cursor.take("COLUMNS")) cursor.expect("COLUMN")
    cursor.expect("(")
    val all = cursor.list(column(cursor))
    cursor.expect(")")
    AddComputedColumnsCommand(target, all)
  }

  private def column(cursor: Cursor): ComputedColumn = {
    val name = cursor.identifier()
    val ends = Seq(Seq("COMMENT"), Seq("AS"), Seq(","))
    val isTyped = !ends.exists(e => cursor.sees(e: _*)) && !cursor.sees(")")
    val dataType = Optional.when(isTyped)(cursor.dataType(ends: _*))
    val comment = Optional.when(cursor.take("COMMENT"))(cursor.string())
    val value = Optional.when(cursor.take("AS")) {
      cursor.expect("(")
      val text = cursor.expression()
      cursor.expect(")")
      text
    }
    if (value.isEmpty && dataType.isEmpty) cursor.fail("a type or AS (expression)")
    ComputedColumn(name, dataType, comment, value)
  }
}

/** A new column.
  *
  * @param dataType type of the column; `None` for the type of the expression
  * @param value SQL expression over existing columns; `None` for null
  */
final private[spark] case class ComputedColumn(
    name: String,
    dataType: Option[DataType],
    comment: Option[String],
    value: Option[String]
)

/** Runs [[AddComputedColumns]]. */
final private[spark] case class AddComputedColumnsCommand(
    target: TableTarget,
    added: Seq[ComputedColumn]
) extends CommittingCommand(ColumnOutcome.schema) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "ADD COLUMNS").toChange
    added.map(_.name).combinations(2).find(two => SQLConf.get.resolver(two.head, two(1))).foreach {
      twice => throw new InvalidRequestException(s"column ${twice.head} is added twice")
    }
    val table = loaded.rows
    val made = added.map { c =>
      val value = c.value.fold(lit(null))(expr)
      val dataType = c.dataType.getOrElse(table.select(value).schema.head.dataType)
      val field = StructField(c.name, dataType)
      c.comment.fold(field)(field.withComment) -> value
    }
    val done = ColumnJob.compute(
      loaded.job,
      made,
      table,
      properties = CommitInfo.by("ALTER TABLE")
    )
    loaded.changed()
    Seq(done.row)
  }
}
