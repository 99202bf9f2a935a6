// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, ViewContext}
import io.github.pysparklance.spark.scan.nearest.join.JoinSearch
import io.github.pysparklance.spark.scan.nearest.{
  NearestArguments,
  NearestQuery,
  NearestSource,
  NearestTable
}

/** Searches loaded tables. */
private[spark] object NearestRows {

  /** The name of the read option. */
  val option: String = "nearest"

  /** Returns the rows that a search finds in a version of a table.
    *
    * @param options options of the read
    * @throws org.apache.spark.sql.AnalysisException if the query is invalid for the table
    */
  def apply(
      table: LanceSparkTable,
      query: NearestQuery,
      options: CaseInsensitiveStringMap
  ): NearestTable = {
    NearestTable(source(table, options), query)
  }

  /** Returns the search of a join, whose query vectors are in the rows of its other side.
    *
    * @throws org.apache.spark.sql.AnalysisException as [[apply]]
    */
  def forJoin(
      table: LanceSparkTable,
      query: NearestQuery,
      options: CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty()
  ): JoinSearch = JoinSearch(source(table, options), query)

  private def source(table: LanceSparkTable, options: CaseInsensitiveStringMap): NearestSource = {
    val fields = table.loaded.types.fields(table.table.schema)
    NearestSource(table, table.table, fields, options, ViewContext.current)
  }

  /** Returns the rows that the option `nearest` selects, or `None` without the option. */
  def ifAsked(
      table: LanceSparkTable,
      options: Map[String, String]
  ): Option[NearestTable] = LanceErrors.translated {
    new LanceOptions(options).text(option).map { json =>
      val others = options.filterNot(o => LanceOptions.canonical(o._1) == option)
      val settings = new java.util.HashMap[String, String]
      others.foreach { case (key, value) => settings.put(key, value) }
      val query = NearestArguments.ofJson(s"option $option", json).query
      apply(table, query, new CaseInsensitiveStringMap(settings))
    }
  }
}
