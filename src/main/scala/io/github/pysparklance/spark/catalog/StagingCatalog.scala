// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.connector.catalog.{Column, Identifier, StagedTable}
import org.apache.spark.sql.connector.expressions.Transform

import io.github.pysparklance.spark.shim.ConstrainedCatalog

/** A catalog whose tables are all created and replaced together with their rows. */
private[spark] trait StagingCatalog extends ConstrainedCatalog {

  /** Returns a table that becomes visible with its rows. It may replace an existing table. */
  protected def stage(ident: Identifier, table: NewTable): StagedTable

  override def stageCreate(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = {
    if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
    stage(ident, NewTable(columns, partitions, properties))
  }

  override def stageReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = {
    if (!tableExists(ident)) throw new NoSuchTableException(ident)
    stage(ident, NewTable(columns, partitions, properties))
  }

  override def stageCreateOrReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = stage(ident, NewTable(columns, partitions, properties))
}
