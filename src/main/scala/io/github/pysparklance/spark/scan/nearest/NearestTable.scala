// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.index.vector.{VectorColumn, VectorIndex, VectorIndices}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.search.{
  AddedColumns,
  RankedRow,
  RowQuery,
  RowSearch,
  SearchSource,
  SearchTable,
  SourceRows
}

/** A search for nearest rows with a resolved column, index, and metric. Equal if the query is
  * equal.
  *
  * @param query query with a metric, and with vectors that match the column
  */
final private[scan] case class NearestRowQuery(query: NearestQuery)(
    val field: VectorColumn,
    val index: Option[VectorIndex]
) extends RowQuery {
  override def title: String = "nearest rows"

  override def operator: String = "LanceNearest"

  override def added: AddedColumns = NearestTable.added(query)

  override def filter: Option[String] = query.filter

  override def maxRows: Long = query.parameters.k.toLong * query.vectors.size

  override def search(
      session: SparkSession,
      source: SearchSource,
      shared: Option[SourceRows]
  ): RowSearch = new RowSearch {
    private val search = new NearestSearch(session, source, field, index, query, shared)

    override def run(): IndexedSeq[RankedRow] =
      search.run().zipWithIndex.flatMap { case (rows, queryIndex) => rows.ranked(queryIndex) }

    override def shape: Seq[String] = search.shape

    override def metrics: Array[CustomMetric] = NearestMetrics.ofSearch

    override def metricValues: Array[CustomTaskMetric] =
      NearestMetrics.values(search.statistics, search.meter)
  }
}

private[spark] object NearestTable {

  /** The columns that a search adds. */
  private[nearest] def added(query: NearestQuery): AddedColumns =
    AddedColumns(IndexedSeq(AddedColumns.distance), query.vectors.isBatch, query.withRowId)

  /** The columns of the result of a search. */
  private[nearest] def columns(source: SearchSource, query: NearestQuery): StructType =
    added(query).around(source.columns)

  /** Returns the table of the rows that a search finds.
    *
    * @throws org.apache.spark.sql.AnalysisException if the query does not suit the table
    */
  def apply(source: SearchSource, query: NearestQuery): SearchTable =
    new SearchTable(source, resolve(source, query))

  /** Finds the column and the index of a search, and checks its arguments.
    *
    * @throws org.apache.spark.sql.AnalysisException if the query does not suit the table
    */
  private[scan] def resolve(source: SearchSource, query: NearestQuery): NearestRowQuery =
    LanceErrors.translated {
      val place = Place(path = Some(source.table.path))
      query.checkRows()
      val (field, vectors) = SearchedColumn(source.table, source.fields, query)
      source.check(added(query.copy(vectors = vectors)))
      val indices = new VectorIndices(source.table)
      // An unusable index must not change the metric.
      val metric =
        if (query.parameters.metric.isDefined || !query.parameters.useIndex)
          query.parameters.metric
        else indices.metricOf(field.field.id)
      val index =
        if (query.parameters.useIndex) metric.flatMap(m => indices.find(field.field.id, Some(m)))
        else None
      if (query.parameters.fastSearch && index.isEmpty) throw missingIndex(field, query, place)
      if (query.parameters.fastSearch) index.foreach(indices.checkComplete)
      val resolved =
        query.copy(vectors = vectors, parameters = query.parameters.copy(metric = metric))
      new NearestSearch(SparkSession.active, source, field, index, resolved).checkFilter()
      NearestRowQuery(resolved)(field, index)
    }

  private def missingIndex(
      field: VectorColumn,
      query: NearestQuery,
      place: Place
  ): InvalidRequestException = {
    val metric = query.parameters.metric.fold("")(m => s" with the metric $m")
    val usable = if (query.parameters.useIndex) "" else " that may be used"
    new InvalidRequestException(
      s"fast_search requires a vector index, and column ${field.name} has none$metric$usable: " +
        "create one, or leave fast_search out",
      place
    )
  }
}
