// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

import io.github.pysparklance.core.{BlobField, BlobMode, Field, LogicalType, Printable}
import io.github.pysparklance.spark.shim.SparkShim

/** Returns the metadata of a column in Spark: its comment, and the properties that recreate the
  * same field when it is written again. Spark has no metadata for list items and map entries. Their
  * properties are in the metadata of the enclosing column, with a path before the key.
  */
private[types] object ShownMetadata {
  private val comment = "comment"

  def apply(field: Field): Metadata = {
    val builder = new MetadataBuilder
    field.metadata.get(comment).foreach(c => builder.putString(comment, Printable(c)))
    StoredRules.trustedDefaults(field).foreach { case (key, sql) => builder.putString(key, sql) }
    columnOptions(field, "").foreach {
      case (key, value) if key.endsWith(ColumnOptionKeys.FixedSizeListSize) =>
        builder.putLong(key, value.toLong)
      case (key, value) => builder.putString(key, value)
    }
    builder.build()
  }

  /** Returns the default of a Spark column as field metadata.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException if writers would not evaluate it
    */
  def defaults(metadata: Metadata): Map[String, String] = {
    val found = SparkShim.defaultKeys.filter(metadata.contains).map(k => k -> metadata.getString(k))
    found.foreach { case (_, sql) => StoredRules.checkDefault(sql) }
    found.toMap
  }

  private def columnOptions(field: Field, prefix: String): Map[String, String] =
    if (isDescription(field)) Map.empty
    else {
      val own = typeOptions(field) ++ kept(field)
      own.map { case (key, value) => prefix + key -> value } ++ below(field, prefix)
    }

  /** Whether a field is the description of a blob, or a part of it, and not a field of the table.
    */
  private def isDescription(field: Field): Boolean =
    field.id == Field.Unassigned || field.isBlob && BlobField.mode(field) != BlobMode.Content

  private def below(field: Field, prefix: String): Map[String, String] =
    (field.logicalType, field.children) match {
      case (_: LogicalType.List, IndexedSeq(item)) => columnOptions(item, s"${prefix}element.")
      case (LogicalType.Map, IndexedSeq(entries)) if entries.children.length == 2 =>
        columnOptions(entries.children(0), s"${prefix}key.") ++
          columnOptions(entries.children(1), s"${prefix}value.")
      case _ => Map.empty
    }

  /** Returns the properties that select the type, if it differs from the default for Spark's type.
    */
  private def typeOptions(field: Field): Map[String, String] = field.logicalType match {
    case LogicalType.Blob => Map(BlobField.Marker -> "true")
    case _ if field.isBlob => Map.empty
    case _ if SparkTypes.isBFloat16(field) => Map(ColumnOptionKeys.LanceType -> "bfloat16")
    case _ if SparkTypes.isJson(field) => Map(ColumnOptionKeys.LanceType -> "json")
    case LogicalType.FixedSizeList(item, dimension) =>
      Map(ColumnOptionKeys.FixedSizeListSize -> dimension.toString) ++ named(field, item)
    case LogicalType.List(true, _) => Map(ColumnOptionKeys.LanceType -> "large_list")
    case LogicalType.Struct | LogicalType.Map | LogicalType.List(_, _) => Map.empty
    case leaf => named(field, leaf)
  }

  private def named(field: Field, t: LogicalType): Map[String, String] = {
    val shown = KeptTypes.read(field, t).orElse(LeafTypes.shown(t))
    if (t == LogicalType.Struct || shown.flatMap(LeafTypes.default).contains(t)) Map.empty
    else Map(ColumnOptionKeys.LanceType -> nameOf(t))
  }

  private def nameOf(t: LogicalType): String =
    if (t == LogicalType.BFloat16) "bfloat16" else LogicalType.text(t)

  /** Returns the metadata for the encoder, and extension types. */
  private def kept(field: Field): Map[String, String] =
    field.metadata.filter { case (key, _) =>
      key.startsWith(ColumnOptionKeys.Encoding) ||
      ColumnOptionKeys.extensions.contains(key) &&
      !SparkTypes.isJson(field) && !SparkTypes.isBFloat16(field)
    }
}
