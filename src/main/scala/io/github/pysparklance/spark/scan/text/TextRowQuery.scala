// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.text

import org.apache.spark.sql.SparkSession

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.search.{
  AddedColumns,
  RowQuery,
  SearchSource,
  SearchTable,
  SourceRows
}

/** A full-text search that was checked against a table. Rows are ordered by descending score.
  *
  * @param withElement whether rows have the position of a list element
  */
final private[scan] case class TextRowQuery(request: TextRequest, withElement: Boolean)
    extends RowQuery {
  override def title: String = "full-text search"

  override def operator: String = "LanceTextSearch"

  override def added: AddedColumns =
    AddedColumns(IndexedSeq(AddedColumns.score), isBatch = false, request.withRowId, withElement)

  override def filter: Option[String] = request.filter

  override def maxRows: Long = request.k.toLong

  override def first(numRows: Int): Option[RowQuery] =
    request.first(numRows).map(r => copy(request = r))

  override def search(
      session: SparkSession,
      source: SearchSource,
      shared: Option[SourceRows]
  ): TextRowSearch = new TextRowSearch(session, source, request, shared)
}

private[spark] object TextRowQuery {

  /** Returns the table of the rows that a search finds.
    *
    * @throws org.apache.spark.sql.AnalysisException if the request does not suit the table
    */
  def table(source: SearchSource, request: TextRequest): SearchTable =
    new SearchTable(source, resolve(source, request))

  /** Checks a search against a table.
    *
    * @throws org.apache.spark.sql.AnalysisException if the request does not suit the table
    */
  private[scan] def resolve(source: SearchSource, request: TextRequest): TextRowQuery =
    LanceErrors.translated {
      request.numCandidates: Unit
      val search = new TextRowSearch(SparkSession.active, source, request, None)
      val query = TextRowQuery(request, search.findsElements && !request.ofRows)
      source.check(query.added)
      search.checkFilter()
      query
    }
}
