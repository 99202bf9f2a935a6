// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.{InnerLike, LeftExistence, LeftOuter, RightOuter}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2ScanRelation, FileScan}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.github.pysparklance.core.Optional
import io.github.pysparklance.spark.scan.joins.IndexedColumn.below
import io.github.pysparklance.spark.scan.{LanceScan, RuntimeFilters}

/** A query for the keys of one side of a join, which runs in addition to the join. It returns all
  * keys of the side, and may return others. The query has these limits:
  *   - The side is read twice, so its rows must come from a version of a table, from files, from a
  *     cache, or from the plan. Other sources, such as databases, could return other rows the
  *     second time.
  *   - Operators whose result may depend on the order of rows, such as `LIMIT` and window
  *     functions, are omitted.
  *   - The query returns at most one key more than the scan accepts. The scan ignores that many
  *     keys.
  */
private object KeyQuery {

  /** The scan ignores filters with more keys. */
  val maxKeys: Int = RuntimeFilters.maxKeys

  /** Returns the query, which has one column, or `None` if the side cannot be read twice or is
    * large.
    */
  def of(side: LogicalPlan, key: Expression): Option[LogicalPlan] =
    values(side, key).filter(_.stats.sizeInBytes <= maxBytes).map { values =>
      val one = Repartition(1, shuffle = false, values)
      val distinct = Aggregate(one.output, one.output, one)
      Limit(Literal(maxKeys + 1), distinct)
    }

  /** Returns a plan with the values of an expression. It may have duplicates and additional values.
    */
  private def values(plan: LogicalPlan, key: Expression): Option[LogicalPlan] = plan match {
    case Project(list, child) => values(child, below(key, list))
    case union: Union =>
      val parts = union.children.map(child => values(child, inChild(key, union, child)))
      if (parts.forall(_.isDefined)) Some(Union(parts.flatten)) else None
    case _ =>
      rows(plan, key).filter(found =>
        if (found.isExact) isRepeatable(found.value) else cannotFail(found.value)
      ).map { found =>
        Project(Seq(Alias(found.value, "key")()), found.plan)
      }
  }

  private def inChild(key: Expression, union: Union, child: LogicalPlan): Expression =
    key.transform { case a: Attribute =>
      val i = union.output.indexWhere(_.exprId == a.exprId)
      if (i < 0) a else child.output(i)
    }

  /** @param plan a query that returns all rows of the original query, and may return others
    * @param value the key over the output of the plan
    * @param isExact whether the query returns no other rows
    */
  final private case class Found(plan: LogicalPlan, value: Expression, isExact: Boolean)

  private def rows(plan: LogicalPlan, key: Expression): Option[Found] = plan match {
    case Project(list, child) => rows(child, below(key, list))
    case a: Aggregate =>
      val grouping = below(key, a.aggregateExpressions)
      // An aggregate without groups returns a row even if its child returns none.
      if (a.groupingExpressions.isEmpty || grouping.exists(_.isInstanceOf[AggregateExpression]))
        None
      else rows(a.child, grouping)
    case Filter(condition, child) => rows(child, key).map(filtered(_, condition))
    case j: Join => sideOf(j, key).flatMap(rows(_, key)).map(_.copy(isExact = false))
    case _: Window | _: Sort | _: RepartitionOperation => rows(plan.children.head, key)
    case _: WindowGroupLimit | _: LocalLimit | _: GlobalLimit | _: Offset | _: Sample =>
      rows(plan.children.head, key).map(_.copy(isExact = false))
    case _ =>
      Optional.when(isStable(plan) && key.references.subsetOf(plan.outputSet))(
        Found(plan, key, isExact = true)
      )
  }

  /** Returns the side of a join that has all keys of its result, except null. */
  private def sideOf(j: Join, key: Expression): Option[LogicalPlan] = {
    val (keepsLeft, keepsRight) = j.joinType match {
      case _: InnerLike => (true, true)
      case LeftOuter | LeftExistence(_) => (true, false)
      case RightOuter => (false, true)
      case _ => (false, false)
    }
    def isOf(side: LogicalPlan) =
      key.references.nonEmpty && key.references.subsetOf(side.outputSet)
    if (isOf(j.left)) Optional.when(keepsLeft || isNullOfNulls(key))(j.left)
    else if (isOf(j.right)) Optional.when(keepsRight || isNullOfNulls(key))(j.right)
    else None
  }

  /** Whether an expression is null in the rows that an outer join adds. */
  private def isNullOfNulls(e: Expression): Boolean = e match {
    case _: Attribute => true
    case c: Cast => isNullOfNulls(c.child)
    case f: GetStructField => isNullOfNulls(f.child)
    case _ => false
  }

  /** Keeps the parts of a condition that can be evaluated on the rows. */
  private def filtered(found: Found, condition: Expression): Found = {
    val parts = conjuncts(condition)
    val known = parts.filter { c =>
      c.references.subsetOf(found.plan.outputSet) &&
      (if (found.isExact) isRepeatable(c) else cannotFail(c))
    }
    val plan = known.reduceOption(And(_, _)).fold(found.plan)(Filter(_, found.plan))
    found.copy(plan = plan, isExact = found.isExact && known.length == parts.length)
  }

  private def isRepeatable(e: Expression): Boolean =
    e.deterministic && !SubqueryExpression.hasSubquery(e)

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }

  /** Whether an expression never throws, even for rows that the original query drops. */
  private def cannotFail(e: Expression): Boolean =
    (e match {
      case _: Attribute | _: Literal | _: GetStructField => true
      case c: Cast => c.evalMode == EvalMode.TRY || Cast.canUpCast(c.child.dataType, c.dataType)
      case _: BinaryComparison | _: In | _: InSet | _: IsNull | _: IsNotNull => true
      case _: Not | _: And | _: Or | _: StringPredicate => true
      case _ => false
    }) && e.children.forall(cannotFail)

  /** Whether a leaf returns the same rows each time. */
  private def isStable(leaf: LogicalPlan): Boolean = leaf match {
    case _: LocalRelation | _: Range | _: OneRowRelation => true
    // Otherwise the query and the join could both fill the cache.
    case r: InMemoryRelation => r.cacheBuilder.isCachedColumnBuffersLoaded
    case r: LogicalRelation => !r.isStreaming && r.relation.isInstanceOf[HadoopFsRelation]
    case r: DataSourceV2ScanRelation =>
      r.scan match {
        case ours: LanceScan => !ours.isCut
        case _: FileScan => true
        case _ => false
      }
    case _ => false
  }

  /** A side with a larger estimated size is not read twice. */
  private val maxBytes = BigInt(10 << 20)
}
