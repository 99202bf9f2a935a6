// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  InterpretedMutableProjection,
  NamedExpression,
  Unevaluable
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import io.github.pysparklance.spark.shim.LocalRows

/** Plans counts that the manifest answers, and what is made of them, as rows that are there: no job runs for them, and
  * no code is generated.
  */
private[spark] object CountedRows extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case Project(columns, relation: DataSourceV2ScanRelation) if columns.forall(isKnown) =>
      relation.scan match {
        case scan: LanceCountScan =>
          val project = new InterpretedMutableProjection(columns, relation.output)
          val rows = scan.rows().map(row => project(row).copy()).toIndexedSeq
          LocalRows.scan(columns.map(_.toAttribute), rows) :: Nil
        case _ => Nil
      }
    case _ => Nil
  }

  private def isKnown(column: NamedExpression): Boolean = column.deterministic && !column.exists {
    case _: AttributeReference => false
    case e => e.isInstanceOf[Unevaluable]
  }
}
