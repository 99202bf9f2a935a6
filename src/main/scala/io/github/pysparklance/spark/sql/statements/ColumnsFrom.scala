// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.jobs.{ColumnJob, ColumnOutcome}
import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement, TableTarget}

/** `ALTER TABLE … ADD COLUMNS … FROM`, which adds columns with values from a source. */
private[spark] object AddColumnsFrom extends Statement {
  override val usage: String =
    "ALTER TABLE t ADD {COLUMN | COLUMNS} a, b FROM {source | (query)}"

  override def begins(cursor: Cursor): Boolean = ColumnsFrom.begins(cursor, "ADD")

  override def parse(cursor: Cursor): LogicalPlan = {
    val (target, columns, source) = ColumnsFrom.parse(cursor, "ADD")
    AddColumnsFromCommand(target, columns, source)
  }
}

/** `ALTER TABLE … UPDATE COLUMNS … FROM`, which updates columns with values from a source. */
private[spark] object UpdateColumnsFrom extends Statement {
  override val usage: String =
    "ALTER TABLE t UPDATE {COLUMN | COLUMNS} a, b FROM {source | (query)}"

  override def begins(cursor: Cursor): Boolean = ColumnsFrom.begins(cursor, "UPDATE")

  override def parse(cursor: Cursor): LogicalPlan = {
    val (target, columns, source) = ColumnsFrom.parse(cursor, "UPDATE")
    UpdateColumnsFromCommand(target, columns, source)
  }
}

/** The source of values: rows with a column `_rowaddr` or `_rowid`, and columns by name.
  *
  * @param sql a name or a query
  */
final private[spark] case class ColumnSource(sql: String, isQuery: Boolean) {

  /** Returns the rows. */
  def rows(session: SparkSession): DataFrame =
    if (isQuery) session.sql(sql) else session.table(sql)
}

private object ColumnsFrom {

  /** Spark has no such statement, because its syntax requires types after the names. */
  def begins(cursor: Cursor, verb: String): Boolean =
    cursor.take("ALTER", "TABLE") && cursor.takeName() && cursor.take(verb) &&
      (cursor.take("COLUMNS") || cursor.take("COLUMN")) && namesAndFrom(cursor)

  private def namesAndFrom(cursor: Cursor): Boolean = {
    val enclosed = cursor.take("(")
    while (cursor.takeName() && cursor.take(",")) ()
    (!enclosed || cursor.take(")")) && cursor.sees("FROM")
  }

  def parse(cursor: Cursor, verb: String): (TableTarget, Seq[String], ColumnSource) = {
    cursor.expect("ALTER", "TABLE")
    val target = TableTarget(cursor.name())
    cursor.expect(verb)
    if (!cursor.take("COLUMNS")) cursor.expect("COLUMN")
    val enclosed = cursor.take("(")
    val columns = cursor.list(cursor.identifier())
    if (enclosed) cursor.expect(")")
    cursor.expect("FROM")
    val source =
      if (cursor.take("(")) {
        val query = cursor.query()
        cursor.expect(")")
        ColumnSource(query, isQuery = true)
      } else ColumnSource(TableTarget(cursor.name()).toString, isQuery = false)
    (target, columns, source)
  }
}

/** Runs [[AddColumnsFrom]]. */
final private[spark] case class AddColumnsFromCommand(
    target: TableTarget,
    names: Seq[String],
    source: ColumnSource
) extends CommittingCommand(ColumnOutcome.schema) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "ADD COLUMNS").toChange
    val values = source.rows(session)
    val types = StructType(names.map { name =>
      // Spark's error lists the available columns.
      values.select(quoteIdentifier(name)).schema.head.copy(name = name, nullable = true)
    })
    val done = ColumnJob.add(
      loaded.job,
      values,
      types,
      loaded.rows,
      properties = CommitInfo.by("ALTER TABLE")
    )
    loaded.changed()
    Seq(done.row)
  }
}

/** Runs [[UpdateColumnsFrom]]. */
final private[spark] case class UpdateColumnsFromCommand(
    target: TableTarget,
    names: Seq[String],
    source: ColumnSource
) extends CommittingCommand(ColumnOutcome.schema) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val loaded = target.load(session, "UPDATE COLUMNS").toChange
    val done = ColumnJob.update(
      loaded.job,
      source.rows(session),
      names,
      loaded.rows,
      _ => CommitInfo.none.withProperties(CommitInfo.by("ALTER TABLE"))
    )
    loaded.changed()
    Seq(done.row)
  }
}
