// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.alter

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.catalog.TableChange.ColumnChange
import org.apache.spark.sql.types.DataType

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{LanceErrors, TableLocation}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}

/** `ALTER TABLE`: the changes of one statement become one version, or none when one of them cannot be made. */
private[spark] object AlterTable {

  /** @param location where the table is
    * @param table the newest version
    * @param name of the table, for messages
    * @return the version with the changes; this one when there is nothing to change
    * @throws org.apache.spark.sql.AnalysisException when a change cannot be made
    */
  def apply(
      location: TableLocation,
      table: LanceTable,
      name: String,
      changes: Seq[TableChange]
  ): LanceTable = LanceErrors.translated {
    val (ofColumns, ofTable) = changes.partition(_.isInstanceOf[ColumnChange])
    if (ofColumns.nonEmpty && ofTable.nonEmpty)
      throw new InvalidRequestException(
        "changes of columns and of table properties at once, which takes two versions: alter the table twice",
        Place(path = Some(table.path))
      )
    if (ofTable.nonEmpty) new TableSettings(table, name)(ofTable)
    else new ColumnChanges(location, table, name)(ofColumns.map(_.asInstanceOf[ColumnChange]))
  }

  /** Translates Spark's changes of columns to those of the table. Changes nothing.
    *
    * @throws org.apache.spark.sql.AnalysisException when a change cannot be made
    */
  def planned(
      location: TableLocation,
      table: LanceTable,
      name: String,
      changes: Seq[ColumnChange]
  ): Seq[SchemaChange] =
    LanceErrors.translated(new ColumnChanges(location, table, name).planned(changes))

  /** Whether a field can get a type of Spark's in which each of its values is the same.
    *
    * @param path the field, one that Spark sees
    */
  def canWiden(
      location: TableLocation,
      table: LanceTable,
      path: FieldPath,
      t: DataType
  ): Boolean = new ColumnChanges(location, table, table.path).canWiden(path, t)
}
