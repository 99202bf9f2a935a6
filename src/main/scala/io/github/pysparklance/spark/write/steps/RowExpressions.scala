// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write.steps

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.TableOutputResolver
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  AttributeReference,
  BindReferences,
  Expression,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.optimizer.{ComputeCurrentTime, ReplaceExpressions}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalRelation, Project}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.shim.{DefaultFilling, SessionShim}
import io.github.pysparklance.spark.types.SparkTypes

/** Expressions that tasks evaluate for each row, made on the driver. */
private[write] object RowExpressions {

  /** A condition on rows of these columns.
    *
    * @param text the condition as the user wrote it
    * @throws org.apache.spark.sql.AnalysisException when it names other columns
    * @throws InvalidRequestException when it is not the same for the same row
    */
  def condition(columns: StructType, condition: Expression, text: String): Expression = {
    val rows = LocalRelation(SparkTypes.attributes(columns))
    val plan = SessionShim.analyzed(SparkSession.active, Filter(condition, rows))
    val resolved = plan.collectFirst { case f: Filter => f }.getOrElse(plan)
    if (resolved.expressions.exists(e => !e.deterministic || SubqueryExpression.hasSubquery(e)))
      throw new InvalidRequestException(
        s"replaceWhere, $text: a condition on the columns of one row is expected"
      )
    ComputeCurrentTime(ReplaceExpressions(resolved)) match {
      case Filter(c, below) => BindReferences.bindReference(c, below.output)
      case other => throw new IllegalStateException(s"a filter became $other")
    }
  }

  /** The columns of a table, of rows that have columns of the same names in any order, or lack some.
    *
    * @param table its name, for messages
    * @throws org.apache.spark.sql.AnalysisException when a value does not fit its column
    */
  def projection(table: String, columns: StructType, rows: StructType): Seq[Expression] = {
    val come = SparkTypes.attributes(rows)
    val wanted = SparkTypes.attributes(columns)
    val padded = come.map { a =>
      val column = wanted.find(c => SQLConf.get.resolver(c.name, a.name))
      Alias(column.fold[Expression](a)(c => PaddedStructs(a, c.dataType)), a.name)()
    }
    val resolved = TableOutputResolver.resolveOutputColumns(
      table,
      wanted,
      Project(padded, LocalRelation(come)),
      byName = true,
      SQLConf.get,
      DefaultFilling.all
    )
    // Rows that fit come back as they went in.
    val found = resolved match {
      case Project(list, _) => list
      case other => throw new IllegalStateException(s"a projection became $other")
    }
    val values = padded.map(p => p.exprId -> p.child).toMap
    found.map { e =>
      val plain = withoutNames(e).transform { case a: AttributeReference =>
        values.getOrElse(a.exprId, a)
      }
      BindReferences.bindReference(plain, come)
    }
  }

  private def withoutNames(e: Expression): Expression = e.transform { case a: Alias => a.child }

  /** Some columns of rows.
    *
    * @param names of columns there are
    */
  def columns(rows: StructType, names: Seq[String]): Seq[Expression] = {
    val all = SparkTypes.attributes(rows)
    names.map(n => BindReferences.bindReference[Expression](all(rows.fieldIndex(n)), all))
  }
}
