// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Expression,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import io.github.pysparklance.spark.shim.LocalRows

/** Plans `SELECT count(*)` as a local row with the count of the manifest: no job runs, and no code is generated. The plan
  * only renames counts. Expressions on a count are left to Spark, as the planner must not evaluate them: they can fail.
  */
private[spark] object CountedRows extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case Project(columns, relation: DataSourceV2ScanRelation) =>
      relation.scan match {
        case scan: LanceCountScan => renamed(columns, relation, scan).toSeq
        case _ => Nil
      }
    case _ => Nil
  }

  private def renamed(
      columns: Seq[NamedExpression],
      relation: DataSourceV2ScanRelation,
      scan: LanceCountScan
  ): Option[SparkPlan] = {
    val counts = columns.map(position(_, relation))
    if (counts.contains(-1)) None
    else {
      val rows = scan.rows().map(row => InternalRow.fromSeq(counts.map(row.getLong))).toIndexedSeq
      Some(LocalRows.scan(columns.map(_.toAttribute), rows))
    }
  }

  /** Position of the count that a column names, or -1 if it is not only a name. Spark nests aliases: `count(*)_0 AS
    * count(1) AS n`.
    */
  private def position(column: Expression, relation: DataSourceV2ScanRelation): Int = column match {
    case Alias(child, _) => position(child, relation)
    case a: Attribute => relation.output.indexWhere(_.exprId == a.exprId)
    case _ => -1
  }
}
