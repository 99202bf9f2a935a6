// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  HyperLogLogPlusPlus,
  Max,
  Min
}
import org.apache.spark.sql.catalyst.plans.{
  ExistenceJoin,
  FullOuter,
  InnerLike,
  JoinType,
  LeftAnti,
  LeftOuter,
  LeftSemi,
  RightOuter
}
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

import io.github.pysparklance.spark.shim.SingleJoins

/** Marks single-column scans whose consumers ignore duplicates, so that the scan may drop them.
  * Such consumers are the right side of `EXISTS`, `IN`, `LEFT SEMI`, and `LEFT ANTI`, and groups
  * whose functions do not count duplicates (`DISTINCT`, `COUNT(DISTINCT …)`, `MIN`, `MAX`,
  * `APPROX_COUNT_DISTINCT`). See `docs/decisions/0014`.
  *
  * The rule works on physical plans: subqueries become joins after all optimizer rules that an
  * extension may add. The read option `pushDownDistinct` turns it off.
  */
private[spark] object DistinctScans extends Rule[SparkPlan] {

  /** Applies the rule to plans that are not adaptive. */
  object Columnar extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = DistinctScans
  }

  override def apply(plan: SparkPlan): SparkPlan = {
    // A broadcast can have the keys for pruning another scan. Spark finds it by equality, so it
    // must not change.
    val passesBroadcast = !plan.containsPattern(TreePattern.DYNAMIC_PRUNING_EXPRESSION)
    def distinct(plan: SparkPlan): SparkPlan = plan match {
      case b: BatchScanExec => deduplicated(b)
      case _: BroadcastExchangeExec if !passesBroadcast => plan
      case join: BaseJoinExec if isDeterministic(join) =>
        val sides = DuplicateFreeSides.of(join.joinType)
        val left = if (sides.left) distinct(join.left) else join.left
        val right = if (sides.right) distinct(join.right) else join.right
        join.withNewChildren(Seq(left, right))
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

  private def asksForMatch(join: BaseJoinExec): Boolean = isDeterministic(join) &&
    (join.joinType match {
      case LeftSemi | LeftAnti | ExistenceJoin(_) => true
      case _ => false
    })

  private def isOfSet(e: AggregateExpression): Boolean =
    e.filter.forall(_.deterministic) && (e.aggregateFunction match {
      case _: HyperLogLogPlusPlus | _: Max | _: Min => true
      case _ => false
    })

  private def isDeterministic(join: BaseJoinExec): Boolean = join.condition.forall(_.deterministic)

  /** Whether the set of output rows depends only on the set of input rows. For joins, see
    * [[DuplicateFreeSides]].
    */
  private def keepsSets(plan: SparkPlan): Boolean = plan match {
    case p: ProjectExec => p.projectList.forall(_.deterministic)
    case f: FilterExec => f.condition.deterministic
    case _: SortExec | _: UnionExec | _: ShuffleExchangeExec | _: BroadcastExchangeExec => true
    case _ => false
  }

  private def deduplicated(batches: BatchScanExec): SparkPlan = batches.scan match {
    case scan: LanceScan =>
      scan.distinct.fold(batches) { once =>
        val copy = batches.copy(scan = once)
        copy.copyTagsFrom(batches) // adaptive execution finds the logical plan by its tags
        copy
      }
    case _ => batches
  }
}

/** The sides of a join whose duplicates change neither the set of joined rows nor the success of
  * the query.
  *
  * @param left whether duplicates may be dropped on the left
  * @param right whether duplicates may be dropped on the right
  */
final private[scan] case class DuplicateFreeSides(left: Boolean, right: Boolean)

/** Classifies join types. */
private[scan] object DuplicateFreeSides {

  /** Returns the sides of a join type. All join types are listed, so that types of later Spark
    * releases count as unsafe.
    */
  def of(joinType: JoinType): DuplicateFreeSides = joinType match {
    case _: InnerLike | LeftOuter | RightOuter | FullOuter | LeftSemi | LeftAnti |
        ExistenceJoin(_) =>
      DuplicateFreeSides(left = true, right = true)
    // A scalar subquery fails if its side has two rows for a row of the left side.
    case _ if SingleJoins.isSingle(joinType) => DuplicateFreeSides(left = true, right = false)
    case _ => DuplicateFreeSides(left = false, right = false)
  }
}
