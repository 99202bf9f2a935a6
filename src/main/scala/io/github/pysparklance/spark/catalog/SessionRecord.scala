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

/** What the session catalog has on record of a Lance table. The table itself says what is true; the record follows, for
  * those who look into the metastore only.
  */
private[spark] object SessionRecord {

  /** The changes of the record after changes of the table: all columns anew, since others may have changed the table
    * before without the catalog.
    *
    * @param recorded what is on record
    * @param table as it is now
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

  /** The changes that give the record the columns of the table.
    *
    * @param recorded what is on record
    * @param table as it is now
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

  /** Columns with nothing but their comments beside names and types: settings and keys are those of the table. */
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
