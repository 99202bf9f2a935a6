// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types.{DataType, StructField, StructType}

import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.table.LanceTable

/** What a metadata table is made of.
  *
  * @param home where the table is, also for a branch of it
  * @param table the version that is meant
  * @param isFixed whether the user named this version, rather than a table or branch
  */
final private[spark] case class MetadataSource(
    home: TableLocation,
    table: LanceTable,
    isFixed: Boolean
)

/** A column of a metadata table.
  *
  * @param value what it holds, also as an option; asked for only when the query has the column
  */
final private[spark] case class ViewColumn[E](
    name: String,
    dataType: DataType,
    meaning: String,
    nullable: Boolean = true
)(val value: E => Any)

/** A table that says something of a table: what its rows are made of, and its columns.
  *
  * @param name behind the table's name and a dot
  * @param meaning for the documentation: what a row is
  */
abstract private[spark] class MetadataView(val name: String, val meaning: String) {

  /** What a row is made of. */
  type Entry

  def columns: Seq[ViewColumn[Entry]]

  /** The rows in their natural order; lazily where one costs a request. */
  def entries(source: MetadataSource): Iterator[Entry]

  /** Whether it differs from version to version; tags and branches belong to the table as a whole. */
  def isVersioned: Boolean = true

  final def schema: StructType = StructType(columns.map { c =>
    StructField(c.name, c.dataType, c.nullable).withComment(c.meaning)
  })
}
