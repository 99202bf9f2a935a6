// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.search

import org.apache.spark.sql.types.{
  ArrayType,
  FloatType,
  IntegerType,
  LongType,
  StructField,
  StructType
}

import io.github.pysparklance.spark.types.MetadataFields
import io.github.pysparklance.table.scan.MetadataColumn

/** The columns that a search adds to the columns of the table.
  *
  * @param measures names of the columns with distances and scores
  * @param isBatch whether rows have the number of their query
  * @param withRowId whether rows have their id
  * @param withElement whether rows have the position of a list element
  */
final private[spark] case class AddedColumns(
    measures: IndexedSeq[String],
    isBatch: Boolean,
    withRowId: Boolean,
    withElement: Boolean = false
) {

  /** Added columns before the columns of the table. */
  def first: Seq[StructField] = if (isBatch) Seq(AddedColumns.queryIndex) else Nil

  /** Added columns after the columns of the table. */
  def last: Seq[StructField] =
    element ++ measures.map(StructField(_, FloatType, nullable = true)) ++
      (if (withRowId) Seq(AddedColumns.rowId) else Nil)

  private def element: Seq[StructField] = if (withElement) Seq(AddedColumns.element) else Nil

  /** Returns all columns of the result.
    *
    * @param columns columns of the table
    */
  def around(columns: StructType): StructType = StructType(first ++ columns ++ last)

  /** Names of the columns that are not read from the table: measures, then the others. */
  private[scan] def computed: IndexedSeq[String] = measures ++ (first ++ element).map(_.name)
}

private[spark] object AddedColumns {
  val queryIndex: StructField = StructField("query_index", IntegerType, nullable = false)
  private val rowId = StructField(MetadataColumn.RowId.name, LongType, nullable = false)

  /** The position of a list element in its list, as an array, because pylance supports nested
    * lists.
    */
  private val element =
    StructField("_doc_index", ArrayType(LongType, containsNull = false), nullable = false)

  /** Names of measures. */
  val distance: String = "_distance"
  val score: String = MetadataFields.score
  val relevance: String = "_relevance_score"
}
