// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan}

/** Hides the constructor of `LocalTableScanExec`, which takes a stream of rows since 4.0. */
private[spark] object LocalRows {
  def scan(columns: Seq[Attribute], rows: Seq[InternalRow]): SparkPlan =
    LocalTableScanExec(columns, rows)
}
