// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types.{BinaryType, DataType}

import io.github.pysparklance.core.{BlobField, Field, InvalidRequestException, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion

/** Creates blob fields of new tables. Legacy blobs are large binaries with a marker. Blobs of
  * version 2 are a struct with the fields that writers fill.
  *
  * Source: format page of the table, "Blobs".
  */
private[spark] object BlobFields {
  private val v2 = "lance.blob.v2"

  private val members = IndexedSeq(
    "data" -> LogicalType.Binary(large = true),
    "uri" -> LogicalType.Utf8(large = false),
    "position" -> LogicalType.Integer(64, signed = false),
    "size" -> LogicalType.Integer(64, signed = false)
  ).map { case (name, t) => Field(Field.Unassigned, name, t, nullable = true) }

  /** Returns the blob field if the column options request a blob.
    *
    * @param plain field with name and nullability
    * @throws InvalidRequestException if the values of the column are not binary
    */
  private[types] def apply(
      plain: Field,
      t: DataType,
      columnOptions: Map[String, String]
  ): Option[Field] = {
    val isV2 = columnOptions.get(ColumnOptionKeys.ExtensionName).contains(v2)
    val isLegacy = columnOptions.get(BlobField.Marker).exists(!_.equalsIgnoreCase("false"))
    if (!isV2 && !isLegacy) None
    else if (t != BinaryType)
      throw new InvalidRequestException(
        s"a blob needs a column of type BINARY, not ${t.sql}"
      )
    else if (isV2)
      Some(plain.copy(
        logicalType = LogicalType.Struct,
        children = members,
        metadata = LeafTypes.extension(v2)
      ))
    else Some(plain.copy(logicalType = LogicalType.Binary(large = true)))
  }

  /** Returns the schema of a new table for a file version. Since 2.2, all blobs have version 2, as
    * in pylance.
    */
  def in(version: FileVersion)(schema: Schema): Schema = version match {
    case FileVersion.V2_2 | FileVersion.V2_3 if schema.flatten.exists(isLegacy) =>
      Schema(schema.fields.map(asV2), schema.metadata).withFreshIds
    case _ => schema
  }

  private def isLegacy(field: Field): Boolean = field.isBlob && !field.isBlobV2

  private def asV2(field: Field): Field =
    if (isLegacy(field)) BlobField.asV2(field)
    else if (field.isLeaf) field
    else field.copy(children = field.children.map(asV2))
}
