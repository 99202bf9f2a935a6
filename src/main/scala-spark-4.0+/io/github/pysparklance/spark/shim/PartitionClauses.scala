// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, OverwritePartitionsDynamic}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/** The `PARTITION` clause of an INSERT OVERWRITE, which Spark drops from the plan in dynamic mode.
  * Hides that Spark's rules drop tags up to 3.5.
  */
private[spark] object PartitionClauses {
  private val tag = TreeNodeTag[Map[String, String]]("lance.insert.partition")

  /** Returns the statement with the partition values by column. */
  def noted(insert: InsertIntoStatement, values: Map[String, String]): InsertIntoStatement = {
    insert.setTagValue(tag, values)
    insert
  }

  /** Returns the partition values of the statement of a write. */
  def of(write: OverwritePartitionsDynamic): Option[Map[String, String]] = write.getTagValue(tag)
}
