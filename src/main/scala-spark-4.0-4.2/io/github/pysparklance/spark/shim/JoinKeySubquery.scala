// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.{DynamicPruningSubquery, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Hides how `DynamicPruningSubquery` refers to its key among the keys of a join. */
private[spark] object JoinKeySubquery {

  /** Returns the condition that a column has one of the values of a query.
    *
    * @param keys columns of the query
    * @param keyIndex position of the column's key among them
    * @param onlyInBroadcast whether to drop the condition if no join broadcasts the query
    */
  def apply(
      column: Expression,
      query: LogicalPlan,
      keys: Seq[Expression],
      keyIndex: Int,
      onlyInBroadcast: Boolean
  ): DynamicPruningSubquery =
    DynamicPruningSubquery(column, query, keys, Seq(keyIndex), onlyInBroadcast)
}
