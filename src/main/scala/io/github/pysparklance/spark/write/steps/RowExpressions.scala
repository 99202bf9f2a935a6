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

/** Creates expressions on the driver that tasks evaluate for each row. */
private[write] object RowExpressions {

  /** Returns a condition on rows with these columns.
    *
    * @param text SQL text of the condition
    * @throws org.apache.spark.sql.AnalysisException if it has unknown columns
    * @throws InvalidRequestException if it is not deterministic, or has a subquery
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

  /** Returns the columns of a table as expressions over rows with columns of the same names, in any
    * order. Some columns may be missing.
    *
    * @param table name of the table, for messages
    * @throws org.apache.spark.sql.AnalysisException if the type of a value does not fit its column
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
    // Spark returns rows that already fit unchanged.
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

  /** Returns columns of rows as expressions.
    *
    * @param names names of existing columns
    */
  def columns(rows: StructType, names: Seq[String]): Seq[Expression] = {
    val all = SparkTypes.attributes(rows)
    names.map(n => BindReferences.bindReference[Expression](all(rows.fieldIndex(n)), all))
  }
}
