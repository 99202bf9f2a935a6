// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

/** A search query whose arguments have been checked against a table. Equal
  * queries find the same rows of a table.
  */
private[scan] trait RowQuery {

  /** The description of the found rows in table names, such as `nearest rows`. */
  def title: String

  /** The name of the operator that searches on the driver. */
  def operator: String

  /** The columns that the result has in addition to the columns of the table. */
  def added: AddedColumns

  /** A SQL condition on the columns of the table. */
  def filter: Option[String]

  /** Maximum number of rows. */
  def maxRows: Long

  /** Returns a search for the first rows of the result, or `None` if that is not possible.
    *
    * @param numRows number of rows, at least 1
    */
  def first(numRows: Int): Option[RowQuery] = None

  /** Prepares a search. Reads no rows.
    *
    * @param shared row selection that other searches of the same table share
    */
  def search(
      session: SparkSession,
      source: SearchSource,
      shared: Option[SourceRows]
  ): RowSearch
}

/** One run of a search. */
private[scan] trait RowSearch {

  /** Returns the rows, best first; for several queries, in the order of the queries. */
  def run(): IndexedSeq[RankedRow]

  /** The description of the search in `EXPLAIN`. */
  def shape: Seq[String]

  /** Metrics of the search, in addition to the metrics of reading rows. */
  def metrics: Array[CustomMetric]

  /** Values of metrics after [[run]]. */
  def metricValues: Array[CustomTaskMetric]
}
