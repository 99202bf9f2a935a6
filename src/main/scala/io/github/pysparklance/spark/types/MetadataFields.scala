// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.connector.catalog.{MetadataColumn => SparkMetadataColumn}
import org.apache.spark.sql.types.{DataType, FloatType, StructField}

import io.github.pysparklance.table.scan.{ComputedColumn, MetadataColumn}

/** The metadata columns in Spark. Numbers are signed 64-bit integers, except for scores; there are
  * no nulls. They are only returned if a query names them. A table column with the same name hides
  * a metadata column.
  */
object MetadataFields {

  /** The name of the column with the score of a condition on text. No scan has this column: the SQL
    * extension replaces the scan by a full-text search, see
    * [[io.github.pysparklance.spark.sql.search.ScoredConditions]].
    */
  val score: String = "_score"

  /** The reason why a query has no scores, for errors. */
  val noScore: String =
    s"the column $score is the score of a condition on text: the query needs exactly one of lance_match, " +
      "lance_match_phrase, and lance_multi_match on columns of the table, which other conditions may restrict by " +
      "AND. DELETE, UPDATE, and MERGE of the table, and sessions without the SQL extension, have no scores. For " +
      "other queries, use the table function search(table, query, ...)"

  /** The metadata columns of a scan. */
  val ofScans: Array[SparkMetadataColumn] =
    (MetadataColumn.all ++ MetadataColumn.descriptive).map(c =>
      new Described(c): SparkMetadataColumn
    ).toArray

  /** All metadata columns. */
  val columns: Array[SparkMetadataColumn] = ofScans :+ Score

  /** The metadata columns of changed rows. These rows have no rank, because they are from several
    * versions.
    */
  val ofChanges: Array[SparkMetadataColumn] =
    ofScans.filterNot(c =>
      c.name == MetadataColumn.RowOffset.name || c.name == MetadataColumn.Deleted.name
    )

  /** Whether changed rows have a metadata column. */
  def isOfChanges(name: String): Boolean = ofChanges.exists(_.name == name)

  /** Returns a computed column as a column of a scan. */
  def structField(column: ComputedColumn): StructField =
    StructField(column.name, dataType(column), column.field.nullable)

  /** Returns the type of a computed column. */
  def dataType(column: ComputedColumn): DataType = SparkTypes.dataType(column.field)

  private object Score extends SparkMetadataColumn {
    override def name(): String = score
    override def dataType(): DataType = FloatType
    override def isNullable: Boolean = true
    override def comment(): String = "score of the row, in queries with one condition on text"
  }

  final private class Described(column: MetadataColumn) extends SparkMetadataColumn {
    override def name(): String = column.name
    override def dataType(): DataType = MetadataFields.dataType(column)
    override def isNullable: Boolean = false
    override def comment(): String = column match {
      case MetadataColumn.RowId => "id of the row, stable where the table has stable row ids"
      case MetadataColumn.RowAddr => "where the row is in this version: fragment id << 32 | offset"
      case MetadataColumn.RowOffset => "rank of the row in this version, from 0"
      case MetadataColumn.FragId => "id of the row's fragment"
      case MetadataColumn.RowCreatedAtVersion => "version that made the row"
      case MetadataColumn.RowLastUpdatedAtVersion => "version that last changed the row"
      case MetadataColumn.File => "where the first data file of the row's fragment is"
      case MetadataColumn.Deleted => "whether the row is deleted, see option includeDeletedRows"
    }
  }
}
