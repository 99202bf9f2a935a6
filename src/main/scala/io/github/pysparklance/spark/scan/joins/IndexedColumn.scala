// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan, Project}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types._

import io.github.pysparklance.spark.scan.LanceScan

/** Resolves a join key to an indexed column. */
private object IndexedColumn {

  /** Returns a filter on the column above its scan, or `None` if it would not pay off.
    *
    * @param existing filters on the column by join keys
    */
  type MakeFilter =
    (Expression, DataSourceV2ScanRelation, Seq[DynamicPruningSubquery]) => Option[LogicalPlan]

  /** Returns a plan with a filter above the scan of an indexed column. Returns `None` if the key is
    * not an indexed column. Also returns `None` if the filter would change rows whose key has a
    * match. An integer column may be widened.
    */
  def rewrite(plan: LogicalPlan, key: Expression)(filter: MakeFilter): Option[LogicalPlan] =
    rewrite(plan, key, Nil, filter)

  private def rewrite(
      plan: LogicalPlan,
      key: Expression,
      existing: Seq[DynamicPruningSubquery],
      filter: MakeFilter
  ): Option[LogicalPlan] = plan match {
    case p: Project if p.projectList.forall(isRepeatable) =>
      rewrite(p.child, below(key, p.projectList), existing, filter).map(c => p.copy(child = c))
    case f: Filter if f.condition.deterministic =>
      val more = filters(f.condition, key)
      rewrite(f.child, key, existing ++ more, filter).map(c => f.copy(child = c))
    case j: Join if j.condition.forall(_.deterministic) =>
      if (key.references.subsetOf(j.left.outputSet) && passesLeft(j.joinType))
        rewrite(j.left, key, existing, filter).map(left => j.copy(left = left))
      else if (key.references.subsetOf(j.right.outputSet) && passesRight(j.joinType))
        rewrite(j.right, key, existing, filter).map(right => j.copy(right = right))
      else None
    case relation: DataSourceV2ScanRelation =>
      relation.scan match {
        case scan: LanceScan =>
          column(key).filter { case (_, path) => scan.hasIndexOn(path) }.flatMap { case (c, _) =>
            filter(c, relation, existing)
          }
        case _ => None
      }
    case _ => None
  }

  /** Replaces the outputs of a projection in an expression by their definitions. */
  def below(key: Expression, list: Seq[NamedExpression]): Expression = {
    val aliases = AttributeMap(list.collect { case a: Alias => a.toAttribute -> a.child })
    key.transform { case a: Attribute => aliases.getOrElse(a, a) }
  }

  /** Converts the key to the type of the column. Returns null if it does not fit. */
  def converted(key: Expression, to: DataType): Expression =
    if (key.dataType == to) key else Cast(key, to, None, EvalMode.TRY)

  /** Whether a filter below the projection does not change its output for other rows. `MERGE`
    * assigns row numbers to its target, but only their uniqueness matters.
    */
  private def isRepeatable(e: NamedExpression): Boolean = e.deterministic || (e match {
    case Alias(_: MonotonicallyIncreasingID, name) => name == mergeRowId
    case _ => false
  })

  private val mergeRowId = "__row_id"

  private def filters(condition: Expression, key: Expression): Seq[DynamicPruningSubquery] =
    condition.collect {
      case d: DynamicPruningSubquery if column(key).exists(_._1.semanticEquals(d.pruningKey)) => d
    }

  private def passesLeft(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | LeftOuter | LeftSemi | LeftAnti | ExistenceJoin(_) => true
    case _ => false
  }

  private def passesRight(joinType: JoinType): Boolean = joinType match {
    case _: InnerLike | RightOuter => true
    case _ => false
  }

  /** The column, as expression and path. */
  private def column(key: Expression): Option[(Expression, Seq[String])] = key match {
    case Cast(child, to, _, _) if isWidened(child.dataType, to) => column(child)
    case _ => path(key).map(key -> _)
  }

  private def path(key: Expression): Option[Seq[String]] = key match {
    case a: AttributeReference => Some(Seq(a.name))
    case g: GetStructField => path(g.child).map(_ :+ g.extractFieldName)
    case _ => None
  }

  private def isWidened(from: DataType, to: DataType): Boolean =
    integers.contains(from) && integers.indexOf(from) < integers.indexOf(to)

  private val integers = Seq[DataType](ByteType, ShortType, IntegerType, LongType)
}
