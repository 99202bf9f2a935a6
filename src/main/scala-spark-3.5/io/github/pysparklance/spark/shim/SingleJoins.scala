// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.JoinType

/** Hides `LeftSingle`, which Spark has since 4.0. */
private[spark] object SingleJoins {

  /** Whether the join fails if its right side has two rows for one row of the left side. */
  def isSingle(joinType: JoinType): Boolean = false
}
