// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.expressions.{
  ApplyFunctionExpression,
  Attribute,
  Expression,
  GetStructField,
  VectorCosineSimilarity,
  VectorInnerProduct,
  VectorL2Distance
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, NearestByJoin, SubqueryAlias}
import org.apache.spark.sql.catalyst.plans.{LeftOuter, NearestByDistance, NearestBySimilarity}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.quoteNameParts
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.core.{LanceException, Optional}
import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search.VectorQuery
import io.github.pysparklance.spark.catalog.{LanceSparkTable, SearchedRows}
import io.github.pysparklance.spark.functions.BoundVectorFunction
import io.github.pysparklance.spark.scan.nearest.join.{JoinSearch, NearestJoins}
import io.github.pysparklance.spark.scan.nearest.UndefinedDistance.{
  Farthest,
  Nearest,
  NearestUnlessZero
}
import io.github.pysparklance.spark.scan.nearest.{NearestQuery, QueryVectors, UndefinedDistance}

/** Plans `NEAREST ... BY` joins with a Lance table on the right side as searches:
  * {{{
  *   FROM q JOIN t APPROX NEAREST 10 BY DISTANCE vector_l2_distance(q.v, t.v)
  * }}}
  * `APPROX` uses an index with the metric of the function, `EXACT` compares all vectors. Without an
  * index, both rank NaN as Spark does. Spark plans all other joins, also if the right side has a
  * filter.
  *
  * This is a rule for resolved plans, because Spark rewrites these joins before the optimizer rules
  * of extensions run.
  */
private[spark] object NearestByJoins {
  def inject(extensions: SparkSessionExtensions): Unit =
    extensions.injectPostHocResolutionRule(_ => Apply)

  private object Apply extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
      case join: NearestByJoin if join.resolved && !join.isStreaming =>
        planned(join).getOrElse(join)
    }
  }

  private def planned(join: NearestByJoin): Option[LogicalPlan] =
    for {
      relation <- relation(join.right)
      table <- lance(relation)
      (metric, undefined, a, b) <- ranking(join)
      (queries, column) <- Seq((a, b), (b, a)).collectFirst {
        case (queries, Path(path, attribute))
            if relation.outputSet.contains(attribute) &&
              queries.references.subsetOf(join.left.outputSet) =>
          (queries, path)
      }
      search <- search(join, relation, table, metric, undefined, column, queries)
    } yield NearestJoins.of(
      join.left,
      relation.newInstance(),
      queries,
      search,
      relation.output,
      isOuter = join.joinType == LeftOuter
    )

  private def relation(plan: LogicalPlan): Option[DataSourceV2Relation] = plan match {
    case SubqueryAlias(_, child) => relation(child)
    case relation: DataSourceV2Relation => Some(relation)
    case _ => None
  }

  private def lance(relation: DataSourceV2Relation): Option[LanceSparkTable] =
    relation.table match {
      case table: LanceSparkTable => Some(table)
      case _ => None
    }

  /** The metric whose least distances are wanted, the rank of NaN, and the vectors. */
  private def ranking(
      join: NearestByJoin
  ): Option[(Metric, UndefinedDistance, Expression, Expression)] =
    (join.rankingExpression, join.direction) match {
      case (VectorL2Distance(a, b), NearestByDistance) => Some((Metric.L2, Farthest, a, b))
      case (VectorCosineSimilarity(a, b), NearestBySimilarity) =>
        Some((Metric.Cosine, NearestUnlessZero, a, b))
      case (VectorInnerProduct(a, b), NearestBySimilarity) => Some((Metric.Dot, Nearest, a, b))
      case (ApplyFunctionExpression(f: BoundVectorFunction, Seq(a, b)), direction) =>
        val isSimilarity = f.function.metric == Metric.Dot
        if (isSimilarity != (direction == NearestBySimilarity)) None
        else Some((f.function.metric, if (isSimilarity) Nearest else Farthest, a, b))
      case _ => None
    }

  /** `None` if the table has no such vector column, the columns of the search would hide its own,
    * or the search would rank rows otherwise.
    */
  private def search(
      join: NearestByJoin,
      relation: DataSourceV2Relation,
      table: LanceSparkTable,
      metric: Metric,
      undefined: UndefinedDistance,
      column: Seq[String],
      queries: Expression
  ): Option[JoinSearch] = {
    val query = NearestQuery(
      Some(quoteNameParts(column)),
      QueryVectors.none,
      offset = 0,
      filter = None,
      prefilter = true,
      VectorQuery(k = join.numResults, metric = Some(metric), useIndex = join.approx),
      refines = false,
      withRowId = false,
      undefined
    )
    try {
      val search = SearchedRows.forJoin(table, query, relation.options)
      search.checkType(queries.dataType)
      Optional.when(search.ranksAsFunctions(queries.dataType))(search)
    } catch {
      case _: LanceException | _: org.apache.spark.sql.AnalysisException => None
    }
  }

  /** A column, or a child of structs. */
  private object Path {
    def unapply(e: Expression): Option[(Seq[String], Attribute)] = e match {
      case a: Attribute => Some((Seq(a.name), a))
      case g @ GetStructField(Path(path, a), _, _) => Some((path :+ g.extractFieldName, a))
      case _ => None
    }
  }
}
