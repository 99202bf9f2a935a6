// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  HyperLogLogPlusPlus,
  Max,
  Min
}
import org.apache.spark.sql.catalyst.plans.LeftExistence
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.apache.spark.sql.execution.{
  ColumnarRule,
  FilterExec,
  ProjectExec,
  SortExec,
  SparkPlan,
  UnionExec
}

/** Tells scans of one column when nothing above them counts how often a value comes: below the right side of a join that
  * asks whether there is a match (`EXISTS`, `IN` and their negations, `LEFT SEMI`, `LEFT ANTI`), and below groups without
  * functions or with those that do not count (`DISTINCT`, `COUNT(DISTINCT …)`, `APPROX_COUNT_DISTINCT`). What need not be answered twice need not be shuffled, sorted or hashed.
  * See `docs/decisions/0014`.
  *
  * It works on physical plans, as queries become such joins after all rules that an extension may add to the optimizer.
  */
private[spark] object DistinctScans extends Rule[SparkPlan] {

  /** The same for plans that are not adaptive. */
  object Columnar extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = DistinctScans
  }

  override def apply(plan: SparkPlan): SparkPlan = {
    // What is broadcast may be the keys that another scan is pruned by, which Spark finds by being equal.
    val passesBroadcast = !plan.containsPattern(TreePattern.DYNAMIC_PRUNING_EXPRESSION)
    def distinct(plan: SparkPlan): SparkPlan = plan match {
      case b: BatchScanExec => told(b)
      case _: BroadcastExchangeExec if !passesBroadcast => plan
      case p if keepsSets(p) => p.withNewChildren(p.children.map(distinct))
      case _ => plan
    }
    plan.transformUp {
      case join: BaseJoinExec if asksForMatch(join) =>
        join.withNewChildren(Seq(join.left, distinct(join.right)))
      case groups: BaseAggregateExec if groups.aggregateExpressions.forall(isOfSet) =>
        groups.withNewChildren(Seq(distinct(groups.child)))
    }
  }

  private def asksForMatch(join: BaseJoinExec): Boolean =
    LeftExistence.unapply(join.joinType).isDefined && isDeterministic(join)

  private def isOfSet(e: AggregateExpression): Boolean =
    e.filter.forall(_.deterministic) && (e.aggregateFunction match {
      case _: HyperLogLogPlusPlus | _: Max | _: Min => true
      case _ => false
    })

  private def isDeterministic(join: BaseJoinExec): Boolean = join.condition.forall(_.deterministic)

  /** Whether the set of a plan's rows depends on the sets of those below it alone. */
  private def keepsSets(plan: SparkPlan): Boolean = plan match {
    case p: ProjectExec => p.projectList.forall(_.deterministic)
    case f: FilterExec => f.condition.deterministic
    case j: BaseJoinExec => isDeterministic(j)
    case _: SortExec | _: UnionExec | _: ShuffleExchangeExec | _: BroadcastExchangeExec => true
    case _ => false
  }

  private def told(batches: BatchScanExec): SparkPlan = batches.scan match {
    case scan: LanceScan =>
      scan.distinct.fold(batches) { once =>
        val copy = batches.copy(scan = once)
        copy.copyTagsFrom(batches) // adaptive execution finds the logical plan by them
        copy
      }
    case _ => batches
  }
}
