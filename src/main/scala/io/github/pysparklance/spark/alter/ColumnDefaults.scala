// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.alter

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.catalog.TableChange.{AddColumn, ColumnChange}

import io.github.pysparklance.core.{Column, InvalidRequestException, Place}
import io.github.pysparklance.spark.columns.ColumnBuilder
import io.github.pysparklance.spark.shim.SparkShim
import io.github.pysparklance.spark.types.StoredRules
import io.github.pysparklance.table.schema.{FieldPath, SchemaChange}

/** Default values of columns. They are stored in field metadata under the names of Spark. When a
  * column is added, its default is written to the existing rows, so that all readers see it.
  */
private[spark] object ColumnDefaults {

  /** Returns the metadata of a new column. */
  private[alter] def metadata(path: FieldPath, c: AddColumn): Map[String, String] =
    Option(c.defaultValue()).fold(Map.empty[String, String]) { default =>
      if (!path.parent.isRoot)
        throw new InvalidRequestException(
          "a default value inside of a struct; columns can have one",
          Place(column = Some(path.toString))
        )
      val found = SparkShim.defaults(default)
      found.values.foreach(StoredRules.checkDefault)
      found
    }

  /** Returns the values of new columns in existing rows, each as a column with one row. */
  private[alter] def values(
      changes: Seq[SchemaChange],
      statement: Seq[ColumnChange]
  ): Map[String, Column] = {
    val defaults = statement.collect {
      case c: AddColumn if c.defaultValue() != null =>
        c.fieldNames().head -> c.defaultValue().getValue.value()
    }.toMap
    changes.collect {
      case SchemaChange.Add(parent, field, _) if parent.isRoot && defaults.contains(field.name) =>
        val builder = ColumnBuilder(field)
        builder.append(new GenericInternalRow(Array[Any](defaults(field.name))), 0)
        field.name -> builder.column
    }.toMap
  }
}
