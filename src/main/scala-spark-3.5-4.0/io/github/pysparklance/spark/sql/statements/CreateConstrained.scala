// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import scala.collection.mutable

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical.{
  CreateTable,
  CreateTableAsSelect,
  LogicalPlan,
  ReplaceTable,
  ReplaceTableAsSelect,
  TableSpecBase,
  UnresolvedTableSpec
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.{
  ConstrainedCatalog,
  Frames,
  SessionShim,
  TableConstraint
}
import io.github.pysparklance.spark.sql.{CommittingCommand, Cursor, Statement}

/** CREATE TABLE and REPLACE TABLE with constraints, which Spark's grammar does not support before
  * 4.1. The statement is run by Spark without the constraints, which are passed as table
  * properties.
  *
  * @param words the first words of the statement
  */
final private[statements] class CreateConstrained(words: Seq[String]) extends Statement {
  override val usage: String =
    s"${words.mkString(" ")} t (column type, ..., ${ConstraintClause.usage})"

  override def begins(cursor: Cursor): Boolean =
    cursor.take(words: _*) && {
      cursor.take("IF", "NOT", "EXISTS"): Unit
      cursor.takeName() && cursor.sees("(") && {
        var found = false
        cursor.parts(found ||= inPart(cursor)(_ => ()))
        found
      }
    }

  /** Parses a column or a constraint up to the last constraint.
    *
    * @param constraint called at each constraint with the column to which it belongs, if any
    * @return whether there is a constraint
    */
  private def inPart(cursor: Cursor)(constraint: Option[String] => Unit): Boolean = {
    var found = false
    if (ConstraintClause.follows(cursor, isOwn = true)) {
      found = true
      constraint(None)
    } else if (cursor.seesName) {
      val column = cursor.identifier()
      // Skips the type, whose name is not a constraint.
      if (!cursor.seesEnd) cursor.takeAny()
      while (!cursor.seesEnd)
        if (ConstraintClause.follows(cursor, isOwn = false)) {
          found = true
          val before = cursor.position
          constraint(Some(column))
          if (cursor.position == before) cursor.takeAny()
        } else cursor.takeAny()
    }
    found
  }

  override def parse(cursor: Cursor): LogicalPlan = {
    cursor.expect(words: _*)
    cursor.take("IF", "NOT", "EXISTS"): Unit
    val table = cursor.name()
    val constraints = mutable.ArrayBuffer.empty[TableConstraint]
    val spans = mutable.ArrayBuffer.empty[(Int, Int)]
    var isFirst = true
    cursor.parts {
      val start = cursor.position
      var isColumn = true
      inPart(cursor) { column =>
        val from = cursor.position
        constraints += ConstraintClause.parse(cursor, table.last.split('/').last, column)
        isColumn = column.isDefined
        if (isColumn) spans += from -> cursor.position
        else if (!cursor.seesEnd) cursor.fail("',' or ')'")
        // A table constraint is removed together with the comma before or after it.
        else if (isFirst) spans += start -> (cursor.position + (if (cursor.sees(",")) 1 else 0))
        else spans += (start - 1) -> cursor.position
      }: Unit
      isFirst &&= !isColumn
    }
    cursor.expect(")")
    val text = cursor.without(spans.toSeq)
    cursor.checkStatement(text)
    cursor.takeAll()
    CreateConstrainedCommand(table, text, constraints.toSeq)
  }
}

/** Runs [[CreateConstrained]].
  *
  * @param text the statement without the constraints
  */
final private[statements] case class CreateConstrainedCommand(
    table: Seq[String],
    text: String,
    declared: Seq[TableConstraint]
) extends CommittingCommand(new StructType) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    SessionShim.analyzed(session, UnresolvedIdentifier(table)) match {
      case ResolvedIdentifier(_: ConstrainedCatalog, _) => ()
      case _ =>
        throw LanceErrors.rejected(s"constraints of ${table.mkString(".")}: Lance tables have some")
    }
    val plan = SessionShim.parser(session).parsePlan(text) match {
      case c: CreateTable => c.copy(tableSpec = declaring(c.tableSpec))
      case c: CreateTableAsSelect => c.copy(tableSpec = declaring(c.tableSpec))
      case c: ReplaceTable => c.copy(tableSpec = declaring(c.tableSpec))
      case c: ReplaceTableAsSelect => c.copy(tableSpec = declaring(c.tableSpec))
      case other => throw new IllegalStateException(s"CREATE TABLE became $other")
    }
    Frames.of(session, plan): Unit
    Nil
  }

  private def declaring(spec: TableSpecBase): TableSpecBase = spec match {
    case s: UnresolvedTableSpec =>
      s.copy(properties = s.properties ++ declared.flatMap(_.properties))
    case other => throw new IllegalStateException(s"a new table became $other")
  }
}
