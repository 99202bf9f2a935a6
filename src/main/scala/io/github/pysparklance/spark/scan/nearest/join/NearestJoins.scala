// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest.join

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeReference,
  Expression,
  If,
  IsNull,
  LateralSubquery,
  Literal,
  NamedExpression,
  OuterReference,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  LateralJoin,
  LogicalPlan,
  Project,
  SubqueryAlias
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation
}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.LanceScan
import io.github.pysparklance.spark.scan.search.AddedColumns

/** Plans k-nearest-neighbor joins. */
private[spark] object NearestJoins {

  /** Replaces lateral joins with calls of `vector_search`:
    * {{{
    *   FROM q, LATERAL vector_search('t', q.vec)        LateralJoin(q, NearestCall(outer(vec)))    NearestJoin(q, vec)
    * }}}
    * Selects and filters around the call are evaluated on the joined rows.
    */
  object Lateral extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
      case LateralJoin(left, subquery, joinType, condition)
          if subquery.plan.exists(_.isInstanceOf[NearestCall]) && left.resolved =>
        LanceErrors.translated {
          val isOuter = joinType == LeftOuter
          val joined = new RightSide(left, isOuter).joined(subquery.plan)
          condition.filterNot(_ == Literal.TrueLiteral) match {
            case Some(_) if isOuter =>
              unsupported("LEFT JOIN LATERAL with vector_search and another condition than true")
            case Some(on) => Filter(on, joined)
            case None => joined
          }
        }
    }
  }

  /** Rejects calls whose query vector is a column of the outer query of another subquery. */
  object OtherSubqueries extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = {
      plan.foreach { operator =>
        if (operator.containsPattern(PLAN_EXPRESSION))
          operator.expressions.foreach(_.foreach {
            case _: LateralSubquery => ()
            case s: SubqueryExpression if s.plan.exists(_.isInstanceOf[NearestCall]) => reject()
            case _ => ()
          })
      }
      plan
    }

    private def reject(): Unit = LanceErrors.translated[Unit] {
      throw new UnsupportedFeatureException(
        "vector_search with a query vector of the outer query in a scalar, IN, or EXISTS subquery: " +
          "use a lateral join, such as FROM queries, LATERAL vector_search('t', queries.vector, 1)"
      )
    }
  }

  /** Returns a join. Its columns have new ids, so that Spark can join the result with itself.
    *
    * @param table the relation of the table
    * @param queries the query vector of a row of the left side
    * @param columns columns of the nearest rows in the result
    */
  def of(
      left: LogicalPlan,
      table: LogicalPlan,
      queries: Expression,
      search: JoinSearch,
      columns: Seq[AttributeReference],
      isOuter: Boolean
  ): LogicalPlan = {
    val found = columns.map(_.newInstance())
    val join = NearestJoin(left, table, queries, search, found, NearestJoin.columns(found), isOuter)
    val named = columns.zip(join.output.drop(left.output.length)).map { case (as, column) =>
      Alias(column, as.name)(exprId = as.exprId, explicitMetadata = Some(as.metadata))
    }
    Project(left.output ++ named, join)
  }

  final private class RightSide(left: LogicalPlan, isOuter: Boolean) {

    /** Returns the join for a plan on the right side of a lateral join. */
    def joined(plan: LogicalPlan): LogicalPlan = {
      val join = pulled(plan)
      val right = join.output.drop(left.output.length).filter(plan.outputSet.contains)
      if (isOuter) Project(left.output ++ right, join) else join
    }

    private def pulled(plan: LogicalPlan): LogicalPlan = plan match {
      case NearestCall(table, queries, search, columns) if isTable(table) =>
        of(left, table, inner(queries), search, columns, isOuter)
      case _: NearestCall =>
        // Rules of other extensions add filters and masks, which a search would ignore.
        unsupported(filtered)
      case SubqueryAlias(_, child) => pulled(child)
      case Project(columns, child) =>
        val named =
          if (!isOuter) columns.map(c => inner(c).asInstanceOf[NamedExpression])
          else {
            val distance = distanceOf(plan)
            val others = if (columns.exists(_.exprId == distance.exprId)) Nil else Seq(distance)
            columns.map(nullIfMissing(_, distance)) ++ others
          }
        Project(left.output ++ named, pulled(child))
      case Filter(condition, child) if !isOuter => Filter(inner(condition), pulled(child))
      case other =>
        unsupported(
          s"${other.nodeName} around vector_search in ${if (isOuter) "LEFT JOIN LATERAL"
            else "LATERAL"}"
        )
    }

    /** Returns the distance, which is null only in left rows without neighbors. */
    private def distanceOf(plan: LogicalPlan): AttributeReference = plan.collectFirst {
      case call: NearestCall => call.output.find(_.name == AddedColumns.distance).get
    }.get

    /** Returns an expression that is null in left rows without neighbors. */
    private def nullIfMissing(
        column: NamedExpression,
        distance: AttributeReference
    ): NamedExpression = column match {
      case attribute: AttributeReference => attribute
      case a @ Alias(_: AttributeReference, _) => a
      case a @ Alias(e, name) =>
        val value = If(IsNull(distance), Literal(null, e.dataType), inner(e))
        Alias(value, name)(a.exprId, a.qualifier, a.explicitMetadata)
      case other => unsupported(s"the column ${other.name} of the left side in LEFT JOIN LATERAL")
    }

    private def inner(e: Expression): Expression = e.transform {
      case OuterReference(column) => column
    }
  }

  private val filtered =
    "a row filter or column mask of the table that a nearest-neighbor join searches"

  private def unsupported(feature: String): Nothing =
    throw new UnsupportedFeatureException(
      s"$feature: select and filter the rows of the join in a query around it"
    )

  /** Removes columns that are not used, and evaluates filters of the left side before the search.
    */
  object Prune extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
      case p @ Project(columns, join: NearestJoin) =>
        val used = p.references
        if (join.found.forall(used.contains)) p else Project(columns, join.pruned(used.contains))
      case Filter(condition, join: NearestJoin)
          if condition.deterministic && condition.references.subsetOf(join.left.outputSet) =>
        join.copy(left = Filter(condition, join.left))
    }
  }

  object Strategy extends SparkStrategy {
    override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
      case NearestJoin(left, right, queries, search, found, columns, isOuter) =>
        if (!isTable(right)) unsupported(filtered)
        val isSmall = !left.isStreaming &&
          left.stats.sizeInBytes <= SQLConf.get.autoBroadcastJoinThreshold
        val refreshed = right.collectFirst {
          case r: DataSourceV2Relation => r.table
          case r: DataSourceV2ScanRelation => r.relation.table
        }.fold(search)(search.of)
        Seq(NearestJoinExec(planLater(left), queries, refreshed, found, columns, isOuter, isSmall))
      case _ => Nil
    }
  }

  /** Whether a plan returns all rows and values of a table. A filter may be in the scan already. */
  private def isTable(plan: LogicalPlan): Boolean = plan match {
    case Project(columns, child) => columns.forall(isColumn) && isTable(child)
    case SubqueryAlias(_, child) => isTable(child)
    case r: DataSourceV2ScanRelation =>
      r.scan match {
        case scan: LanceScan => scan.readsAllRows
        case _ => false
      }
    case _: DataSourceV2Relation | _: InMemoryRelation => true
    case _ => false
  }

  private def isColumn(e: NamedExpression): Boolean = e match {
    case _: Attribute => true
    // Spark pads columns of the type CHAR.
    case Alias(s: StaticInvoke, _) =>
      s.functionName == "readSidePadding" && s.arguments.headOption.exists(
        _.isInstanceOf[Attribute]
      )
    case _ => false
  }
}
