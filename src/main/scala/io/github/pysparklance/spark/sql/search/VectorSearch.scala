// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.search

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Expression, OuterReference}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

import io.github.pysparklance.spark.catalog.{LanceSparkTable, NearestRows}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.functions.SessionFunctions
import io.github.pysparklance.spark.scan.nearest.join.{NearestCall, NearestJoins}
import io.github.pysparklance.spark.scan.nearest.{NearestArguments, NearestQuery, NearestTable}
import io.github.pysparklance.spark.shim.{PinnedRelation, SessionShim}
import io.github.pysparklance.spark.sql.{TableArgument, TableFunctionCall}
import io.github.pysparklance.table.scan.MetadataColumn

/** The table function `vector_search(table, query_vector, num_results, ...)`: the rows of a table
  * whose vectors are nearest to a query vector.
  */
private[spark] object VectorSearch {
  val name: String = "vector_search"

  private val positions = IndexedSeq("table", "query_vector", "num_results")

  /** Arguments that choose the version. */
  private val travel = Seq("version", "tag", "branch")

  def inject(extensions: SparkSessionExtensions): Unit = {
    val usage =
      "_FUNC_(table, query_vector, num_results, name => value, ...) - returns the rows of a Lance " +
        "table whose vectors are nearest to a query vector, with their distance in the column _distance."
    val info = SessionFunctions.description(getClass, name, usage)
    extensions.injectTableFunction((FunctionIdentifier(name), info, plan))
    extensions.injectPostHocResolutionRule(_ => NearestJoins.Lateral)
    extensions.injectOptimizerRule(_ => NearestJoins.Prune)
    extensions.injectPlannerStrategy(_ => NearestJoins.Strategy)
  }

  private def plan(arguments: Seq[Expression]): LogicalPlan = LanceErrors.translated {
    val session = SparkSession.active
    val call = new TableFunctionCall(name, positions, arguments)
    // In a lateral join, the query vector is a column of the other side.
    val joined = call.expressions.collectFirst {
      case (key, value) if NearestArguments.isVectors(key) && isOuter(value) => key -> value
    }
    val values = call.values(joined.map(_._1))
    val others = values.filterNot(v => (travel ++ Seq("table", "columns")).contains(v._1))
    val query = new NearestArguments(name, others, needsVectors = joined.isEmpty).query
    val revision = travel.flatMap(n => call.text(n).map(n -> _)).toMap.asJava
    val named = TableArgument.load(session, call.needed("table"), name)
    val table = named.spark.asked(new CaseInsensitiveStringMap(revision))
    val (rows, isBatch) = joined match {
      case Some((_, vectors)) => (joinedRows(table, query, vectors), false)
      case None =>
        val found = NearestRows(table, query, CaseInsensitiveStringMap.empty())
        (PinnedRelation(found, named.catalog, named.ident, table.table.version), found.isBatch)
    }
    call.texts("columns").fold[LogicalPlan](rows)(projected(rows, _, query, isBatch))
  }

  private def isOuter(e: Expression): Boolean = e.exists(_.isInstanceOf[OuterReference])

  private def joinedRows(
      table: LanceSparkTable,
      query: NearestQuery,
      vectors: Expression
  ): LogicalPlan = {
    val search = NearestRows.forJoin(table, query)
    search.checkType(vectors.dataType)
    NearestCall(vectors, search, DataTypeUtils.toAttributes(search.columns))
  }

  private def projected(
      rows: LogicalPlan,
      columns: Seq[String],
      query: NearestQuery,
      isBatch: Boolean
  ): LogicalPlan = {
    val parser = SessionShim.parser(SparkSession.active)
    val first = if (isBatch) Seq(NearestTable.queryIndex.name) else Nil
    val last =
      NearestTable.distance.name +: (if (query.withRowId) Seq(MetadataColumn.RowId.name) else Nil)
    val added = first ++ last
    val paths = first.map(Seq(_)) ++
      columns.map(parser.parseMultipartIdentifier).filterNot(p =>
        p.length == 1 && added.contains(p.head)
      ) ++
      last.map(Seq(_))
    Project(paths.map(UnresolvedAttribute(_)), rows)
  }
}
