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

/** Runs `ALTER TABLE`. All changes of a statement are committed as one version, or none is. */
private[spark] object AlterTable {

  /** Applies changes.
    *
    * @param location location of the table
    * @param table the latest version
    * @param name name of the table, for messages
    * @return the version with the changes, or `table` if nothing changes
    * @throws org.apache.spark.sql.AnalysisException if a change is not possible
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
    if (ofTable.nonEmpty) new PropertyChanges(table, name)(ofTable)
    else new ColumnChanges(location, table, name)(ofColumns.map(_.asInstanceOf[ColumnChange]))
  }

  /** Translates Spark's column changes to schema changes, without applying them.
    *
    * @throws org.apache.spark.sql.AnalysisException if a change is not possible
    */
  def planned(
      location: TableLocation,
      table: LanceTable,
      name: String,
      changes: Seq[ColumnChange]
  ): Seq[SchemaChange] =
    LanceErrors.translated(new ColumnChanges(location, table, name).planned(changes))

  /** Whether a field can be widened to a Spark type without changing any value.
    *
    * @param path path of a field that is visible in Spark
    */
  def canWiden(
      location: TableLocation,
      table: LanceTable,
      path: FieldPath,
      t: DataType
  ): Boolean = new ColumnChanges(location, table, table.path).canWiden(path, t)
}
