// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import org.apache.spark.sql.types.{FloatType, IntegerType, LongType, StructField, StructType}

import io.github.pysparklance.table.scan.MetadataColumn

/** The columns that a search adds to the columns of the table.
  *
  * @param measures names of the columns with distances and scores
  * @param isBatch whether rows have the number of their query
  * @param withRowId whether rows have their id
  */
final private[spark] case class AddedColumns(
    measures: IndexedSeq[String],
    isBatch: Boolean,
    withRowId: Boolean
) {

  /** Added columns before the columns of the table. */
  def first: Seq[StructField] = if (isBatch) Seq(AddedColumns.queryIndex) else Nil

  /** Added columns after the columns of the table. */
  def last: Seq[StructField] =
    measures.map(StructField(_, FloatType, nullable = true)) ++
      (if (withRowId) Seq(AddedColumns.rowId) else Nil)

  /** Returns all columns of the result.
    *
    * @param columns columns of the table
    */
  def around(columns: StructType): StructType = StructType(first ++ columns ++ last)

  /** Names of the columns that are not read from the table. */
  private[scan] def computed: IndexedSeq[String] = measures ++ first.map(_.name)
}

private[spark] object AddedColumns {
  val queryIndex: StructField = StructField("query_index", IntegerType, nullable = false)
  private val rowId = StructField(MetadataColumn.RowId.name, LongType, nullable = false)

  /** Names of measures. */
  val distance: String = "_distance"
  val score: String = "_score"
  val relevance: String = "_relevance_score"
}
