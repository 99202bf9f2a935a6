// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.joins

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern

import io.github.pysparklance.core.Optional
import io.github.pysparklance.spark.shim.JoinKeySubquery

/** Looks up the join keys of the small side in an index of the large side. Also supports `MERGE`,
  * and `IN` and `EXISTS` with a subquery. Spark's dynamic pruning requires a selective filter and a
  * broadcast of the small side, and never applies below the projection of a `MERGE`.
  *
  * {{{
  *   Join(left.id = right.k)                 Join(left.id = right.k)
  *   :- Filter                               :- Filter
  *   :  +- scan with an index on id    ->    :  +- Filter(id IN keys of right)
  *   +- right                                :     +- scan with an index on id
  *                                           +- right
  * }}}
  * The filter only removes rows that the join drops anyway, so it never changes a result. The scan
  * gets the keys when the query runs, see [[io.github.pysparklance.spark.scan.LanceScan.filter]].
  * There are two forms:
  *   - If the join broadcasts the small side, the keys are taken from the broadcast.
  *   - Otherwise a separate query reads at most [[KeyQuery.maxKeys]] keys. It reads the small side
  *     a second time, so it must find the same rows, see [[KeyQuery]].
  *
  * See `docs/decisions/0018`.
  */
private[spark] object JoinKeyFilters extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.dynamicPartitionPruningEnabled) plan
    else
      plan.transformUpWithPruning(_.containsPattern(TreePattern.JOIN)) {
        case join: Join => filtered(join)
      }

  private def filtered(join: Join): LogicalPlan = join match {
    case ExtractEquiJoinKeys(joinType, leftKeys, rightKeys, _, _, left, right, hint) =>
      def filter(target: LogicalPlan, targetKeys: Seq[Expression])(
          side: LogicalPlan,
          keys: Seq[Expression],
          isBroadcast: Boolean
      ): Option[LogicalPlan] = {
        val source = KeySide(side, keys, isBroadcast && conf.exchangeReuseEnabled)
        targetKeys.zipWithIndex.flatMap { case (key, i) =>
          IndexedColumn.rewrite(target, key)(source.filter(i))
        }.headOption
      }
      lazy val ofLeft = filter(left, leftKeys)(
        right,
        rightKeys,
        buildsRight(joinType) && isSmall(right, left, hint.rightHint.flatMap(_.strategy), hint)
      )
      lazy val ofRight = filter(right, rightKeys)(
        left,
        leftKeys,
        buildsLeft(joinType) && isSmall(left, right, hint.leftHint.flatMap(_.strategy), hint)
      )
      val isLeftLarger = left.stats.sizeInBytes > right.stats.sizeInBytes
      if (isLeftLarger && dropsLeft(joinType)) ofLeft.fold(join)(l => join.copy(left = l))
      else if (!isLeftLarger && dropsRight(joinType)) ofRight.fold(join)(r => join.copy(right = r))
      else join
    case _ => join
  }

  /** Whether the join drops rows of the left side without a match. */
  private def dropsLeft(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftSemi | RightOuter => true
    case _ => false
  }

  /** Whether the join drops rows of the right side without a match. */
  private def dropsRight(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftSemi | LeftOuter | LeftAnti | ExistenceJoin(_) => true
    case _ => false
  }

  /** Whether Spark can broadcast the right side. */
  private def buildsRight(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftOuter | LeftSemi | LeftAnti | ExistenceJoin(_) => true
    case _ => false
  }

  private def buildsLeft(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | RightOuter => true
    case _ => false
  }

  /** Whether Spark broadcasts this side instead of the other one. */
  private def isSmall(
      side: LogicalPlan,
      other: LogicalPlan,
      strategy: Option[JoinStrategyHint],
      hint: JoinHint
  ): Boolean =
    if (hint == JoinHint.NONE || strategy.isEmpty && isWithoutStrategy(hint)) {
      val size = side.stats.sizeInBytes
      size >= 0 && size <= conf.autoBroadcastJoinThreshold && size < other.stats.sizeInBytes
    } else strategy.contains(BROADCAST)

  private def isWithoutStrategy(hint: JoinHint): Boolean =
    Seq(hint.leftHint, hint.rightHint).flatten.forall(_.strategy.isEmpty)

  /** The side of a join that provides the keys.
    *
    * @param keys join keys over this side
    * @param isBroadcast whether the join broadcasts this side
    */
  final private case class KeySide(
      plan: LogicalPlan,
      keys: Seq[Expression],
      isBroadcast: Boolean
  ) {

    /** Returns the filter on a column by a key. */
    def filter(index: Int): IndexedColumn.MakeFilter = (column, scan, existing) => {
      val key = keys(index)
      val condition =
        if (plan.isStreaming) None
        else if (isBroadcast && column.dataType == key.dataType)
          Optional.when(existing.isEmpty)(
            JoinKeySubquery(column, plan, keys, index, onlyInBroadcast = true)
          )
        else if (scan.stats.sizeInBytes < minScanBytes || existing.exists(!_.onlyInBroadcast)) None
        else
          KeyQuery.of(plan, IndexedColumn.converted(key, column.dataType)).map { query =>
            JoinKeySubquery(column, query, query.output, 0, onlyInBroadcast = false)
          }
      condition.map(Filter(_, scan))
    }
  }

  /** Scanning less than this is faster than a query for keys. */
  private val minScanBytes = BigInt(1 << 20)
}
