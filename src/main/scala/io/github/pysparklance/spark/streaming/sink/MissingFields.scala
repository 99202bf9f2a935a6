// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming.sink

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

/** Finds the fields of a table that the rows of a stream lack. */
private[sink] object MissingFields {

  /** Returns the dotted paths of the missing fields, also of structs in lists and map values.
    *
    * @param columns columns of the table
    * @param rows columns of the rows, in any order
    */
  def apply(columns: StructType, rows: StructType): Seq[String] = of(columns, rows, "")

  private def of(wanted: DataType, found: DataType, path: String): Seq[String] =
    (wanted, found) match {
      case (w: StructType, f: StructType) =>
        w.fields.toSeq.flatMap { field =>
          val at = if (path.isEmpty) field.name else s"$path.${field.name}"
          f.fields.find(m => SQLConf.get.resolver(m.name, field.name)) match {
            case Some(member) => of(field.dataType, member.dataType, at)
            case None => Seq(at)
          }
        }
      case (ArrayType(w, _), ArrayType(f, _)) => of(w, f, path)
      case (MapType(_, w, _), MapType(_, f, _)) => of(w, f, path)
      case _ => Nil
    }
}
