// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.connector.catalog.{MetadataColumn => SparkMetadataColumn}
import org.apache.spark.sql.types.{DataType, StructField}

import io.github.pysparklance.table.scan.{ComputedColumn, MetadataColumn}

/** What Spark sees of the metadata columns: signed integers of 64 bits for the numbers; no nulls. They are shown when a
  * query names them; a column of the table with the same name hides one.
  */
object MetadataFields {

  /** All of them, as a table tells Spark. */
  val columns: Array[SparkMetadataColumn] =
    (MetadataColumn.all ++ MetadataColumn.descriptive).map(c =>
      new Described(c): SparkMetadataColumn
    ).toArray

  /** Those of changed rows. Rows have no rank among the rows of several versions. */
  val ofChanges: Array[SparkMetadataColumn] =
    columns.filterNot(c =>
      c.name == MetadataColumn.RowOffset.name || c.name == MetadataColumn.Deleted.name
    )

  /** A computed column as a column of a scan. */
  def structField(column: ComputedColumn): StructField =
    StructField(column.name, dataType(column), column.field.nullable)

  /** The type of a computed column. */
  def dataType(column: ComputedColumn): DataType = SparkTypes.dataType(column.field)

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
