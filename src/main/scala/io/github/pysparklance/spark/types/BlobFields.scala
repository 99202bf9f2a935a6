// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types.{BinaryType, DataType}

import io.github.pysparklance.core.{BlobField, Field, InvalidRequestException, LogicalType}

/** Blob columns as a new table has them: legacy blobs are marked large binaries, blobs of version 2 a struct with the
  * members that writers hand over.
  *
  * Source: format page of the table, "Blobs".
  */
private[types] object BlobFields {
  private val v2 = "lance.blob.v2"

  private val members = IndexedSeq(
    "data" -> LogicalType.Binary(large = true),
    "uri" -> LogicalType.Utf8(large = false),
    "position" -> LogicalType.Integer(64, signed = false),
    "size" -> LogicalType.Integer(64, signed = false)
  ).map { case (name, t) => Field(Field.Unassigned, name, t, nullable = true) }

  /** The field, when the settings of the column ask for a blob.
    *
    * @param plain its name and whether it may be null
    * @throws InvalidRequestException when the column's values are no binaries
    */
  def apply(plain: Field, t: DataType, settings: Map[String, String]): Option[Field] = {
    val isV2 = settings.get(SettingKeys.ExtensionName).contains(v2)
    val isLegacy = settings.get(BlobField.Marker).exists(!_.equalsIgnoreCase("false"))
    if (!isV2 && !isLegacy) None
    else if (t != BinaryType)
      throw new InvalidRequestException(
        s"a blob is asked for in a column of type ${t.sql}, it goes with a column of type BINARY"
      )
    else if (isV2)
      Some(plain.copy(
        logicalType = LogicalType.Struct,
        children = members,
        metadata = LeafTypes.extension(v2)
      ))
    else Some(plain.copy(logicalType = LogicalType.Binary(large = true)))
  }
}
