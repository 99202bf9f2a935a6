// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.{AppendData, LogicalPlan, V2WriteCommand}

/** Hides that Spark makes an append of a MERGE that only inserts rows, and another command since 4.2. */
private[spark] object InsertOnlyWrite {

  /** A write that may be such a MERGE. */
  def unapply(plan: LogicalPlan): Option[V2WriteCommand] = plan match {
    case append: AppendData if append.writeOptions.isEmpty => Some(append)
    case _ => None
  }
}
