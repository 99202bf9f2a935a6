// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.TableChange.{
  ColumnChange,
  RemoveProperty,
  SetProperty
}
import org.apache.spark.sql.connector.catalog.{Table, TableChange}
import org.apache.spark.sql.types.{Metadata, StructType}

import io.github.pysparklance.spark.shim.SparkShim

/** The record of a Lance table in the session catalog. The table is the source of truth. The record
  * is updated for users who only read the metastore.
  */
private[spark] object SessionRecord {

  /** Returns the changes of the record after changes of the table. All columns are replaced,
    * because other writers may have changed the table without the catalog.
    *
    * @param recorded the record
    * @param table the current table
    * @param made the changes of the table
    */
  def changes(recorded: Table, table: Table, made: Seq[TableChange]): Seq[TableChange] = {
    val properties = made.filter {
      case _: SetProperty | _: RemoveProperty => true
      case _ => false
    }
    if (made.exists(_.isInstanceOf[ColumnChange])) columns(recorded, table) ++ properties
    else properties
  }

  /** Returns the changes that give the record the columns of the table.
    *
    * @param recorded the record
    * @param table the current table
    */
  def columns(recorded: Table, table: Table): Seq[TableChange] = {
    val now = plain(SparkShim.structType(table.columns()))
    val before = plain(SparkShim.structType(recorded.columns()))
    if (now == before) Nil
    else
      before.fieldNames.toSeq.map(n => TableChange.deleteColumn(Array(n), false)) ++
        now.fields.map { f =>
          TableChange.addColumn(Array(f.name), f.dataType, f.nullable, f.getComment().orNull)
        }
  }

  /** Returns columns with their names, types, and comments. Other metadata belongs to the table
    * only.
    */
  def plain(columns: StructType): StructType = StructType(columns.map { f =>
    val noted = f.getComment().fold(f.copy(metadata = Metadata.empty)) { c =>
      f.copy(metadata = Metadata.empty).withComment(c)
    }
    f.dataType match {
      case s: StructType => noted.copy(dataType = plain(s))
      case _ => noted
    }
  })
}
