// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util

import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  StagedTable,
  StagingTableCatalog,
  Table
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

/** Hides the catalog methods that take the columns of new tables as a schema. They are abstract up
  * to Spark 3.5, which does not call them.
  */
private[shim] trait SchemaCatalog extends StagingTableCatalog {

  override def createTable(
      ident: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Table = createTable(ident, columns(schema), partitions, properties)

  override def stageCreate(
      ident: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = stageCreate(ident, columns(schema), partitions, properties)

  override def stageReplace(
      ident: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = stageReplace(ident, columns(schema), partitions, properties)

  override def stageCreateOrReplace(
      ident: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = stageCreateOrReplace(ident, columns(schema), partitions, properties)

  /** Defaults stay in the metadata of columns. */
  private def columns(schema: StructType): Array[Column] = schema.fields.map { f =>
    Column.create(f.name, f.dataType, f.nullable, f.getComment().orNull, f.metadata.json)
  }
}
