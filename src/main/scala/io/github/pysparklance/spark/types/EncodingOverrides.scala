// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import io.github.pysparklance.core.{Field, InvalidRequestException, LogicalType, Place, Schema}

/** Adds encoder properties to the schema of new files of an existing table. The types do not
  * change.
  */
private[spark] object EncodingOverrides {

  /** Encoder properties that change the columns of a file, so they are fixed by the table. */
  private val ofTable = Seq("blob", "packed").map(SettingKeys.Encoding + _)

  /** @throws InvalidRequestException if a property names an unknown field, or requests another type
    */
  def apply(schema: Schema, settings: ColumnSettings): Schema =
    if (settings.isEmpty) schema
    else schema.copy(fields = below(schema.fields, settings, ""))

  private def below(
      fields: IndexedSeq[Field],
      settings: ColumnSettings,
      path: String
  ): IndexedSeq[Field] = {
    settings.checkMembers(fields.map(_.name), path)
    fields.map { f =>
      field(f, settings.member(f.name), if (path.isEmpty) f.name else s"$path.${f.name}")
    }
  }

  private def field(old: Field, settings: ColumnSettings, path: String): Field =
    if (settings.isEmpty) old
    else {
      settings.values.keys
        .find(k => !k.startsWith(SettingKeys.Encoding) || ofTable.contains(k))
        .foreach { key =>
          throw new InvalidRequestException(
            s"$key is settled when a table is made, and cannot be set for rows that are added",
            Place(column = Some(path))
          )
        }
      val children = (old.logicalType, old.children) match {
        case (_: LogicalType.List | _: LogicalType.FixedSizeList, IndexedSeq(item)) =>
          settings.checkMembers(LanceFields.itemNames, path)
          IndexedSeq(field(item, settings.member(LanceFields.itemNames: _*), s"$path.item"))
        case (LogicalType.Map, IndexedSeq(entries)) =>
          IndexedSeq(entries.copy(children = below(entries.children, settings, path)))
        case (_, members) => below(members, settings, path)
      }
      old.copy(metadata = old.metadata ++ settings.fieldMetadata, children = children)
    }
}
