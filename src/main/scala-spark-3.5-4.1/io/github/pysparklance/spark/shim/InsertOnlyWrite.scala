// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.{AppendData, LogicalPlan, V2WriteCommand}

/** Hides the plan of a MERGE that only inserts rows: an append up to Spark 4.1, and a separate
  * command since 4.2.
  */
private[spark] object InsertOnlyWrite {

  /** Extracts a write that may be such a MERGE. */
  def unapply(plan: LogicalPlan): Option[V2WriteCommand] = plan match {
    case append: AppendData if append.writeOptions.isEmpty => Some(append)
    case _ => None
  }
}
