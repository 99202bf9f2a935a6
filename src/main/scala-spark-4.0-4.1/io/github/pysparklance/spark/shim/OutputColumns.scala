// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.analysis.TableOutputResolver
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf

/** Fits the columns of a query to those of a table. The argument that asks for defaults differs between lines. */
object OutputColumns {

  /** The query with the columns of the table, by name; columns that it lacks get their defaults.
    *
    * @param table its name, for messages
    * @throws org.apache.spark.sql.AnalysisException when a value does not fit its column
    */
  def byName(table: String, columns: Seq[Attribute], query: LogicalPlan): LogicalPlan =
    TableOutputResolver.resolveOutputColumns(
      table,
      columns,
      query,
      byName = true,
      SQLConf.get,
      supportColDefaultValue = true
    )
}
