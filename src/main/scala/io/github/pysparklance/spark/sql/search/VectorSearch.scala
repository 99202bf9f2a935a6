// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.search

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.expressions.{Expression, OuterReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.github.pysparklance.spark.catalog.{LanceSparkTable, SearchedRows}
import io.github.pysparklance.spark.scan.nearest.join.{NearestCall, NearestJoins}
import io.github.pysparklance.spark.scan.nearest.{NearestArguments, NearestQuery}
import io.github.pysparklance.spark.scan.search.AddedColumns
import io.github.pysparklance.spark.types.SparkTypes

/** The table function `vector_search(table, query_vector, num_results, ...)`: the rows of a table
  * whose vectors are nearest to a query vector.
  */
private[spark] object VectorSearch {
  val name: String = "vector_search"

  private val positions = IndexedSeq("table", "query_vector", "num_results")

  private val usage =
    "_FUNC_(table, query_vector, num_results, name => value, ...) - returns the rows of a Lance " +
      "table whose vectors are nearest to a query vector, with their distance in the column _distance."

  def inject(extensions: SparkSessionExtensions): Unit = {
    SearchCall.inject(extensions, getClass, name, positions, usage)(plan)
    extensions.injectPostHocResolutionRule(_ => NearestJoins.Lateral)
    extensions.injectPostHocResolutionRule(_ => NearestJoins.OtherSubqueries)
    extensions.injectOptimizerRule(_ => NearestJoins.Prune)
    extensions.injectPlannerStrategy(_ => NearestJoins.Strategy)
  }

  private def plan(call: SearchCall): LogicalPlan = {
    // In a lateral join, the query vector is a column of the other side.
    val joined = call.find((name, value) => NearestArguments.isVectors(name) && isOuter(value))
    val query = new NearestArguments(
      name,
      call.values(joined.map(_._1)),
      needsVectors = joined.isEmpty
    ).query
    joined match {
      case Some((_, vectors)) =>
        val (rows, added) = joinedRows(call.relation(call.table), call.table, query, vectors)
        call.selected(rows, added)
      case None => call.result(SearchedRows.nearest(call.table, query))
    }
  }

  private def isOuter(e: Expression): Boolean = e.exists(_.isInstanceOf[OuterReference])

  private def joinedRows(
      relation: LogicalPlan,
      table: LanceSparkTable,
      query: NearestQuery,
      vectors: Expression
  ): (LogicalPlan, AddedColumns) = {
    val search = SearchedRows.forJoin(table, query)
    search.checkType(vectors.dataType)
    val columns = SparkTypes.attributes(search.columns)
    (NearestCall(relation, vectors, search, columns), search.added)
  }
}
