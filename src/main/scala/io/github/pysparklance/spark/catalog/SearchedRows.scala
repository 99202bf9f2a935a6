// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util.HashMap

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, ViewContext}
import io.github.pysparklance.spark.scan.hybrid.{HybridRequest, HybridSearch}
import io.github.pysparklance.spark.scan.nearest.join.JoinSearch
import io.github.pysparklance.spark.scan.nearest.{NearestArguments, NearestQuery, NearestTable}
import io.github.pysparklance.spark.scan.search.{SearchSource, SearchTable}
import io.github.pysparklance.spark.scan.text.{TextArguments, TextRequest, TextRowQuery}

/** Searches loaded tables. All functions throw [[org.apache.spark.sql.AnalysisException]] if a
  * query is invalid for the table.
  */
private[spark] object SearchedRows {

  /** The names of the read options. */
  private val nearestOption = "nearest"
  private val textOption = "fullTextQuery"

  private val noOptions = CaseInsensitiveStringMap.empty()

  /** Returns the rows that are nearest to query vectors.
    *
    * @param options options of the read
    */
  def nearest(
      table: LanceSparkTable,
      query: NearestQuery,
      options: CaseInsensitiveStringMap = noOptions
  ): SearchTable = NearestTable(source(table, options), query)

  /** Returns the search of a join, whose query vectors are in the rows of its other side. */
  def forJoin(
      table: LanceSparkTable,
      query: NearestQuery,
      options: CaseInsensitiveStringMap = noOptions
  ): JoinSearch = {
    def sourceOf(table: Table): Option[SearchSource] = table match {
      case t: LanceSparkTable => Some(source(t.requested(options), options))
      case _ => None
    }
    JoinSearch(source(table.requested(options), options), query, sourceOf)
  }

  /** Returns the rows whose text matches a query best. */
  def text(
      table: LanceSparkTable,
      request: TextRequest,
      options: CaseInsensitiveStringMap = noOptions
  ): SearchTable = TextRowQuery.table(source(table, options), request)

  /** Returns the best rows of a vector search and a full-text search. */
  def hybrid(table: LanceSparkTable, request: HybridRequest): SearchTable =
    HybridSearch(source(table, noOptions), request)

  private def source(table: LanceSparkTable, options: CaseInsensitiveStringMap): SearchSource = {
    val fields = table.loaded.types.fields(table.table.schema)
    SearchSource(table, table.table, fields, options, ViewContext.current)
  }

  /** Returns the rows that the option `nearest` or `fullTextQuery` selects, or `None` without them.
    */
  def ifRequested(
      table: LanceSparkTable,
      options: Map[String, String]
  ): Option[SearchTable] = LanceErrors.translated {
    val all = new LanceOptions(options)
    (all.text(nearestOption), all.text(textOption)) match {
      case (None, None) => None
      case (Some(json), None) =>
        val query = NearestArguments.ofJson(s"option $nearestOption", json).query
        Some(nearest(table, query, without(options, nearestOption)))
      case (None, Some(value)) =>
        val request = TextArguments.ofOption(s"option $textOption", value).request
        Some(text(table, request, without(options, textOption)))
      case _ =>
        throw new InvalidRequestException(
          s"the options $nearestOption and $textOption are two searches: use " +
            "hybrid_search(table, query_vector, query, ...) for both"
        )
    }
  }

  private def without(options: Map[String, String], option: String): CaseInsensitiveStringMap = {
    val others = new HashMap[String, String]
    options.foreach { case (key, value) =>
      if (LanceOptions.canonical(key) != LanceOptions.canonical(option)) others.put(key, value)
    }
    new CaseInsensitiveStringMap(others)
  }
}
