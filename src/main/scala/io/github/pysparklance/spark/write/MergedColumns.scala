// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructField, StructType}

import io.github.pysparklance.core.{Field, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.spark.types.{BlobFields, ColumnSettings, LanceFields}
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}

/** Finds columns, and nested fields at any depth, that rows have and a table lacks. They are added
  * at the end, and are null in existing rows.
  */
private[spark] object MergedColumns {

  /** Returns the changes of the table; empty if it has all columns.
    *
    * @param table columns of the table
    * @param rows columns of the rows
    * @param settings column properties; only the properties of new columns are used
    * @param version file version of the table's data files
    */
  def changes(
      table: StructType,
      rows: StructType,
      settings: ColumnSettings,
      version: FileVersion
  ): Seq[SchemaChange] = members(table, rows, FieldPath.root, settings).map { add =>
    add.copy(field = BlobFields.in(version)(Schema(IndexedSeq(add.field))).fields.head)
  }

  private def members(
      there: StructType,
      come: StructType,
      path: FieldPath,
      settings: ColumnSettings
  ): Seq[SchemaChange.Add] = come.fields.toSeq.flatMap { c =>
    there.fields.find(f => SQLConf.get.resolver(f.name, c.name)) match {
      case Some(f) => below(f.dataType, c.dataType, path / f.name, settings.member(f.name))
      case None => Seq(SchemaChange.Add(path, field(c, settings)))
    }
  }

  private def below(
      there: DataType,
      comes: DataType,
      path: FieldPath,
      settings: ColumnSettings
  ): Seq[SchemaChange.Add] = (there, comes) match {
    case (t: StructType, c: StructType) => members(t, c, path, settings)
    case (ArrayType(t, _), ArrayType(c, _)) =>
      below(t, c, path / "element", settings.member("element", "item"))
    case (MapType(tk, tv, _), MapType(ck, cv, _)) =>
      below(tk, ck, path / "key", settings.member("key")) ++
        below(tv, cv, path / "value", settings.member("value"))
    case _ => Nil
  }

  private def field(c: StructField, settings: ColumnSettings): Field = {
    val own = ColumnSettings(members = Map(c.name -> settings.member(c.name)))
    LanceFields.schema(StructType(Seq(c.copy(nullable = true))), own).fields.head
  }
}
