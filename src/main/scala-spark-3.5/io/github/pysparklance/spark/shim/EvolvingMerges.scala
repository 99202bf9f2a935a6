// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/** Hides `MERGE WITH SCHEMA EVOLUTION`, which Spark has since 4.0. Here, the connector's parser
  * parses it, and marks the plan.
  */
private[spark] object EvolvingMerges {
  private val tag = TreeNodeTag[Unit]("lance.merge.evolution")

  /** Whether a MERGE evolves the schema of its target. */
  def evolves(merge: MergeIntoTable): Boolean = merge.getTagValue(tag).isDefined

  /** Marks a MERGE as evolving. */
  def mark(merge: MergeIntoTable): Unit = merge.setTagValue(tag, ())
}
