// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeIntoTable}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.shim.InsertOnlyWrite

/** Records MERGE as the statement of a commit for a MERGE that only inserts rows. Spark plans it as
  * an append.
  */
private[spark] object MergedAppends {
  private val tag = TreeNodeTag[Unit]("lance.merge")
  private val option = s"transactionProperty.${CommitInfo.statement}"

  /** Marks MERGE statements. */
  object Remember extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = {
      plan.foreach {
        case m: MergeIntoTable => mark(m)
        case _ => ()
      }
      plan
    }
  }

  /** Marks the plan of a MERGE, for Spark lines whose rules drop the tag. */
  def mark(plan: LogicalPlan): Unit = plan.setTagValue(tag, ())

  /** Whether a plan is of a MERGE. */
  def isMarked(plan: LogicalPlan): Boolean = plan.getTagValue(tag).isDefined

  /** Passes the mark to the write as an option of the target. Spark only allows options on either
    * the target or the write.
    */
  object Apply extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
      case InsertOnlyWrite(write) if isMarked(write) =>
        write.table match {
          case r: DataSourceV2Relation
              if r.table.isInstanceOf[LanceSparkTable] && !r.options.containsKey(option) =>
            val options = r.options.asCaseSensitiveMap().asScala.toMap + (option -> "MERGE")
            write.withNewTable(TargetOptions.set(r, new CaseInsensitiveStringMap(options.asJava)))
          case _ => write
        }
    }
  }
}
