// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructField, StructType}

import io.github.pysparklance.core.{Field, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.spark.types.{BlobFields, ColumnOptions, LanceFields}
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}

/** Finds columns, and nested fields at any depth, that rows have and a table lacks. They are added
  * at the end, and are null in existing rows.
  */
private[spark] object MergedColumns {

  /** Returns the changes of the table; empty if it has all columns.
    *
    * @param table columns of the table
    * @param rows columns of the rows
    * @param columnOptions column options; only the options of new columns are used
    * @param version file version of the table's data files
    */
  def changes(
      table: StructType,
      rows: StructType,
      columnOptions: ColumnOptions,
      version: FileVersion
  ): Seq[SchemaChange] = members(table, rows, FieldPath.root, columnOptions).map { add =>
    add.copy(field = BlobFields.in(version)(Schema(IndexedSeq(add.field))).fields.head)
  }

  private def members(
      there: StructType,
      come: StructType,
      path: FieldPath,
      columnOptions: ColumnOptions
  ): Seq[SchemaChange.Add] = come.fields.toSeq.flatMap { c =>
    there.fields.find(f => SQLConf.get.resolver(f.name, c.name)) match {
      case Some(f) => below(f.dataType, c.dataType, path / f.name, columnOptions.member(f.name))
      case None => Seq(SchemaChange.Add(path, field(c, columnOptions)))
    }
  }

  private def below(
      there: DataType,
      comes: DataType,
      path: FieldPath,
      columnOptions: ColumnOptions
  ): Seq[SchemaChange.Add] = (there, comes) match {
    case (t: StructType, c: StructType) => members(t, c, path, columnOptions)
    case (ArrayType(t, _), ArrayType(c, _)) =>
      below(t, c, path / "element", columnOptions.member("element", "item"))
    case (MapType(tk, tv, _), MapType(ck, cv, _)) =>
      below(tk, ck, path / "key", columnOptions.member("key")) ++
        below(tv, cv, path / "value", columnOptions.member("value"))
    case _ => Nil
  }

  private def field(c: StructField, columnOptions: ColumnOptions): Field = {
    val own = ColumnOptions(members = Map(c.name -> columnOptions.member(c.name)))
    LanceFields.schema(StructType(Seq(c.copy(nullable = true))), own).fields.head
  }
}
