// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.statistics

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.{AnalyzeColumn, AnalyzeTable, LogicalPlan}
import org.apache.spark.sql.execution.command.ExecutedCommandExec
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.LanceErrors

/** Plans `ANALYZE TABLE` for Lance tables, which Spark rejects for all catalog tables. The numbers
  * of rows and bytes are always known, so only columns are analyzed.
  */
private[spark] object AnalyzeStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case AnalyzeTable(ResolvedTable(_, _, table: LanceSparkTable, _), partitions, _) =>
      if (partitions.nonEmpty)
        throw LanceErrors.rejected(s"PARTITION of ${table.name}: Lance tables have no partitions")
      ExecutedCommandExec(AnalyzeColumns(None, None)) :: Nil
    case AnalyzeColumn(r @ ResolvedTable(_, _, _: LanceSparkTable, _), names, _) =>
      ExecutedCommandExec(AnalyzeColumns(Some(r), names)) :: Nil
    case _ => Nil
  }
}
