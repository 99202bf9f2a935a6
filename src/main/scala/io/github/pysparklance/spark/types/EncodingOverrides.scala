// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Place, Schema}

/** Adds encoder properties to the schema of new files of an existing table. The types do not
  * change.
  */
private[spark] object EncodingOverrides {

  /** Encoder properties that change the columns of a file, so they are fixed by the table. */
  private val ofTable = Seq("blob", "packed").map(ColumnOptionKeys.Encoding + _)

  /** @throws InvalidRequestException if a property names an unknown field, or requests another type
    */
  def apply(schema: Schema, columnOptions: ColumnOptions): Schema =
    if (columnOptions.isEmpty) schema
    else schema.copy(fields = below(schema.fields, columnOptions, ""))

  private def below(
      fields: IndexedSeq[Field],
      columnOptions: ColumnOptions,
      path: String
  ): IndexedSeq[Field] = {
    columnOptions.checkMembers(fields.map(_.name), path)
    fields.map { f =>
      field(f, columnOptions.member(f.name), if (path.isEmpty) f.name else s"$path.${f.name}")
    }
  }

  private def field(old: Field, columnOptions: ColumnOptions, path: String): Field =
    if (columnOptions.isEmpty) old
    else {
      columnOptions.values.keys
        .find(k => !k.startsWith(ColumnOptionKeys.Encoding) || ofTable.contains(k))
        .foreach { key =>
          throw new InvalidRequestException(
            s"$key only applies to new tables and cannot be set for appended rows",
            Place(column = Some(path))
          )
        }
      val children = (old.logicalType, old.children) match {
        case (_: LogicalType.List | _: LogicalType.FixedSizeList, IndexedSeq(item)) =>
          columnOptions.checkMembers(LanceFields.itemNames, path)
          IndexedSeq(field(item, columnOptions.member(LanceFields.itemNames: _*), s"$path.item"))
        case (LogicalType.Map, IndexedSeq(entries)) =>
          IndexedSeq(entries.copy(children = below(entries.children, columnOptions, path)))
        case (_, members) => below(members, columnOptions, path)
      }
      old.copy(metadata = old.metadata ++ columnOptions.fieldMetadata, children = children)
    }
}
