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

/** Plans `SELECT count(*)` as a local row with the count of the manifest, so that no job runs and
  * no code is generated. The plan may only rename counts. Spark evaluates expressions on a count,
  * because they can fail and the planner must not evaluate them.
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

  /** Returns the position of the count that a column renames, or -1 for other expressions. Spark
    * nests aliases: `count(*)_0 AS count(1) AS n`.
    */
  private def position(column: Expression, relation: DataSourceV2ScanRelation): Int = column match {
    case Alias(child, _) => position(child, relation)
    case a: Attribute => relation.output.indexWhere(_.exprId == a.exprId)
    case _ => -1
  }
}
