// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.hybrid

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.metrics.TaskMetric
import io.github.pysparklance.spark.scan.nearest.{NearestQuery, NearestRowQuery, NearestTable}
import io.github.pysparklance.spark.scan.search.{
  AddedColumns,
  RankedRow,
  RowQuery,
  RowSearch,
  SearchSource,
  SearchTable,
  SourceRows
}
import io.github.pysparklance.spark.scan.text.{TextRequest, TextRowQuery}

/** A vector search and a full-text search whose rows are merged.
  *
  * @param near vector search of the candidates
  * @param text full-text search of the candidates
  * @param fusion ranks the rows of both searches
  * @param k number of rows
  * @param offset best rows to leave out; the `k` rows behind them are returned
  */
final case class HybridRequest(
    near: NearestQuery,
    text: TextRequest,
    fusion: Fusion,
    k: Int,
    offset: Int
)

/** A hybrid search that has been checked for a table. Rows come by descending relevance. */
final private[hybrid] case class HybridRowQuery(
    near: NearestRowQuery,
    text: TextRowQuery,
    fusion: Fusion,
    k: Int,
    offset: Int
) extends RowQuery {
  override def title: String = "hybrid search"

  override def operator: String = "LanceHybridSearch"

  override def added: AddedColumns = HybridSearch.added(text.request.withRowId)

  override def filter: Option[String] = text.filter

  override def maxRows: Long = k.toLong

  override def search(
      session: SparkSession,
      source: SearchSource,
      shared: Option[SourceRows]
  ): RowSearch = {
    val rows = shared.getOrElse(
      new SourceRows(session, source, s"lance ${source.table.path}: hybrid search")
    )
    val (ofVectors, ofTexts) = (
      near.search(session, source, Some(rows)),
      text.search(session, source, Some(rows))
    )
    new RowSearch {
      override def run(): IndexedSeq[RankedRow] = {
        val found = Fusion.fused(fusion, ofVectors.run(), ofTexts.run())
        found.slice(offset, offset + k)
      }

      override def shape: Seq[String] = fusion.toString +: (ofVectors.shape ++ ofTexts.shape)

      override def metrics: Array[CustomMetric] = ofVectors.metrics ++ ofTexts.metrics

      override def metricValues: Array[CustomTaskMetric] =
        HybridSearch.summed(ofVectors.metricValues ++ ofTexts.metricValues)
    }
  }
}

private[spark] object HybridSearch {

  private[hybrid] def added(withRowId: Boolean): AddedColumns = AddedColumns(
    IndexedSeq(AddedColumns.distance, AddedColumns.score, AddedColumns.relevance),
    isBatch = false,
    withRowId
  )

  /** Returns the table of the rows that a search finds.
    *
    * @throws org.apache.spark.sql.AnalysisException if the request does not suit the table
    */
  def apply(source: SearchSource, request: HybridRequest): SearchTable = LanceErrors.translated {
    source.check(added(request.text.withRowId))
    val near = NearestTable.resolve(source, request.near)
    // An array of vectors is one query of a column with lists of vectors.
    if (near.query.vectors.isBatch)
      throw new InvalidRequestException(
        "a hybrid search takes one query vector, and an array of vectors is given for column " +
          near.field.name
      )
    val query = HybridRowQuery(
      near,
      TextRowQuery.resolve(source, request.text.copy(ofRows = true)),
      request.fusion,
      request.k,
      request.offset
    )
    new SearchTable(source, query)
  }

  /** The sums of metrics that several searches have. */
  private[hybrid] def summed(values: Array[CustomTaskMetric]): Array[CustomTaskMetric] =
    values.groupBy(_.name()).map { case (name, same) =>
      TaskMetric(name, same.map(_.value()).sum): CustomTaskMetric
    }.toArray
}
