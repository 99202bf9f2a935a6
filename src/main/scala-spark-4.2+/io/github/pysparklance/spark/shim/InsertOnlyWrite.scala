// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.{InsertOnlyMerge, LogicalPlan, V2WriteCommand}

/** Hides `InsertOnlyMerge`, Spark's plan of a MERGE that only inserts rows since 4.2. */
private[spark] object InsertOnlyWrite {

  /** Extracts a write that may be such a MERGE. */
  def unapply(plan: LogicalPlan): Option[V2WriteCommand] = plan match {
    case merge: InsertOnlyMerge => Some(merge)
    case _ => None
  }
}
