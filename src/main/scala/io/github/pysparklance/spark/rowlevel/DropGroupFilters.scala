// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WriteDelta}
import org.apache.spark.sql.catalyst.rules.Rule

import io.github.pysparklance.spark.shim.GroupFilters

/** Removes the query for the rows that an UPDATE or MERGE changes, which Spark 4.2 and later run
  * before the command. The query scans the table again, and collects all columns of these rows on
  * the driver, but Lance scans only support filters on single columns. Spark also fails to analyze
  * it if the ON condition of a MERGE has metadata columns.
  */
private[spark] object DropGroupFilters extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case delta: WriteDelta if delta.resolved =>
      delta.operation match {
        case _: LanceRowLevelOperation => GroupFilters.without(delta)
        case _ => delta
      }
  }
}
