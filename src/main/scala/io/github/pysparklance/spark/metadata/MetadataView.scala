// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types.{DataType, StructField, StructType}

import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.table.LanceTable

/** The source of a metadata table.
  *
  * @param home location of the table, also for a branch of it
  * @param table the selected version
  * @param isFixed whether the user selected this version, and not just a table or branch
  */
final private[spark] case class MetadataSource(
    home: TableLocation,
    table: LanceTable,
    isFixed: Boolean
)

/** A column of a metadata table.
  *
  * @param value returns the value, which may be an option; only called if the query has the column
  */
final private[spark] case class ViewColumn[E](
    name: String,
    dataType: DataType,
    meaning: String,
    nullable: Boolean = true
)(val value: E => Any)

/** A metadata table: its columns, and the entries of its rows.
  *
  * @param name name after the table's name and a dot
  * @param meaning description of a row, for the documentation
  */
abstract private[spark] class MetadataView(val name: String, val meaning: String) {

  /** The type from which a row is created. */
  type Entry

  def columns: Seq[ViewColumn[Entry]]

  /** Returns the rows in their natural order. The iterator is lazy if a row costs a request. */
  def entries(source: MetadataSource): Iterator[Entry]

  /** Whether the content depends on the version. Tags and branches belong to the table. */
  def isVersioned: Boolean = true

  final def schema: StructType = StructType(columns.map { c =>
    StructField(c.name, c.dataType, c.nullable).withComment(c.meaning)
  })
}
