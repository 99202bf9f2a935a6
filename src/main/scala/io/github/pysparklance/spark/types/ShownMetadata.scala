// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.types

import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

import io.github.pysparklance.core.{BlobField, BlobMode, Field, LogicalType, Printable}
import io.github.pysparklance.spark.shim.SparkShim

/** Metadata of a column that is read: its comment, and the settings that make the same field of it when it is written
  * again. Items of lists and entries of maps have no column of their own in Spark; what there is to say of them is in
  * the metadata of the column around them, with the path before the key.
  */
private[types] object ShownMetadata {
  private val comment = "comment"

  def apply(field: Field): Metadata = {
    val builder = new MetadataBuilder
    field.metadata.get(comment).foreach(c => builder.putString(comment, Printable(c)))
    StoredRules.trustedDefaults(field).foreach { case (key, sql) => builder.putString(key, sql) }
    settings(field, "").foreach {
      case (key, value) if key.endsWith(SettingKeys.FixedSizeListSize) =>
        builder.putLong(key, value.toLong)
      case (key, value) => builder.putString(key, value)
    }
    builder.build()
  }

  /** The default of a column of Spark's, as metadata of the field.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException when no writer would evaluate it
    */
  def defaults(metadata: Metadata): Map[String, String] = {
    val found = SparkShim.defaultKeys.filter(metadata.contains).map(k => k -> metadata.getString(k))
    found.foreach { case (_, sql) => StoredRules.checkDefault(sql) }
    found.toMap
  }

  private def settings(field: Field, prefix: String): Map[String, String] =
    if (isDescription(field)) Map.empty
    else {
      val own = typeSettings(field) ++ kept(field)
      own.map { case (key, value) => prefix + key -> value } ++ below(field, prefix)
    }

  /** What is shown instead of a blob, and the members of its descriptor, which are no fields of the table. */
  private def isDescription(field: Field): Boolean =
    field.id == Field.Unassigned || field.isBlob && BlobField.mode(field) != BlobMode.Content

  private def below(field: Field, prefix: String): Map[String, String] =
    (field.logicalType, field.children) match {
      case (_: LogicalType.List, IndexedSeq(item)) => settings(item, s"${prefix}element.")
      case (LogicalType.Map, IndexedSeq(entries)) if entries.children.length == 2 =>
        settings(entries.children(0), s"${prefix}key.") ++
          settings(entries.children(1), s"${prefix}value.")
      case _ => Map.empty
    }

  /** What names the type, where Spark's alone would make another one. */
  private def typeSettings(field: Field): Map[String, String] = field.logicalType match {
    case LogicalType.Blob => Map(BlobField.Marker -> "true")
    case _ if field.isBlob => Map.empty
    case _ if SparkTypes.isBFloat16(field) => Map(SettingKeys.LanceType -> "bfloat16")
    case _ if SparkTypes.isJson(field) => Map(SettingKeys.LanceType -> "json")
    case LogicalType.FixedSizeList(item, dimension) =>
      Map(SettingKeys.FixedSizeListSize -> dimension.toString) ++ named(field, item)
    case LogicalType.List(true, _) => Map(SettingKeys.LanceType -> "large_list")
    case LogicalType.Struct | LogicalType.Map | LogicalType.List(_, _) => Map.empty
    case leaf => named(field, leaf)
  }

  private def named(field: Field, t: LogicalType): Map[String, String] = {
    val shown = KeptTypes.read(field, t).orElse(LeafTypes.shown(t))
    if (t == LogicalType.Struct || shown.flatMap(LeafTypes.default).contains(t)) Map.empty
    else Map(SettingKeys.LanceType -> nameOf(t))
  }

  private def nameOf(t: LogicalType): String =
    if (t == LogicalType.BFloat16) "bfloat16" else LogicalType.text(t)

  /** Metadata that the encoder and others go by. */
  private def kept(field: Field): Map[String, String] =
    field.metadata.filter { case (key, _) =>
      key.startsWith(SettingKeys.Encoding) ||
      SettingKeys.extensions.contains(key) &&
      !SparkTypes.isJson(field) && !SparkTypes.isBFloat16(field)
    }
}
