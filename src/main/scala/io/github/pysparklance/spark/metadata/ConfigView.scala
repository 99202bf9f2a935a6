// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types.StringType

/** Lists the properties and metadata of a version. */
private object ConfigView
    extends MetadataView(
      "config",
      "a property or metadata entry of the version, ordered by scope and key"
    ) {
  override type Entry = ConfigEntry

  /** An entry. */
  final class ConfigEntry(val scope: String, val key: String, val value: String)

  override val columns: Seq[ViewColumn[ConfigEntry]] = Seq(
    ViewColumn[ConfigEntry](
      "scope",
      StringType,
      "`config` for table properties, `table` for metadata of the table, `schema` for metadata of its schema",
      nullable = false
    )(_.scope),
    ViewColumn[ConfigEntry]("key", StringType, "name", nullable = false)(_.key),
    ViewColumn[ConfigEntry]("value", StringType, "value", nullable = false)(_.value)
  )

  override def entries(source: MetadataSource): Iterator[ConfigEntry] = {
    val manifest = source.table.manifest
    Iterator(
      "config" -> manifest.config,
      "table" -> manifest.tableMetadata,
      "schema" -> manifest.schema.metadata
    ).flatMap { case (scope, values) =>
      values.toSeq.sorted.map { case (k, v) => new ConfigEntry(scope, k, v) }
    }
  }
}
