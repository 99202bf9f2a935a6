// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.evolution

import org.apache.spark.sql.catalyst.plans.logical.{BinaryCommand, LogicalPlan, MergeIntoTable}
import org.apache.spark.sql.catalyst.rules.Rule

import io.github.pysparklance.spark.shim.EvolvingMerges

/** A MERGE WITH SCHEMA EVOLUTION whose tables are not resolved yet. Spark changes the table when
  * both tables of a MERGE are resolved. This node hides the MERGE from Spark until [[EvolveMerges]]
  * restores it.
  */
final private[evolution] case class EvolvingMerge(
    target: LogicalPlan,
    source: LogicalPlan,
    merge: MergeIntoTable
) extends BinaryCommand {
  override def left: LogicalPlan = target

  override def right: LogicalPlan = source

  override lazy val resolved: Boolean = false

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): LogicalPlan = copy(target = newLeft, source = newRight)
}

/** Replaces a MERGE WITH SCHEMA EVOLUTION by [[EvolvingMerge]] until its tables are resolved. */
private[spark] object HoldMerges extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case m: MergeIntoTable if EvolvingMerges.evolves(m) && !m.resolved =>
      EvolvingMerge(m.targetTable, m.sourceTable, m)
  }
}
