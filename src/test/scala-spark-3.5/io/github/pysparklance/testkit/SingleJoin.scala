// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.apache.spark.sql.catalyst.plans.JoinType

/** Hides `LeftSingle`, the join of scalar subqueries, which Spark has since 4.0. */
object SingleJoin {
  val joinType: Option[JoinType] = None
}
