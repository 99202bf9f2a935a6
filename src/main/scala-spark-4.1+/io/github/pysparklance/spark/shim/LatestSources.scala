// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The latest versions of the tables that a retried statement reads. Here, Spark loads them when it
  * runs the statement again.
  */
private[spark] object LatestSources {

  /** Returns the query unchanged. */
  def apply(query: LogicalPlan): Option[LogicalPlan] = Some(query)
}
