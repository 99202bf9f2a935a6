// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types.StringType

/** The settings of a version, and the notes on it. */
private object ConfigView
    extends MetadataView("config", "a setting of the version or a note on it, by scope and key") {
  override type Entry = Setting

  final class Setting(val scope: String, val key: String, val value: String)

  override val columns: Seq[ViewColumn[Setting]] = Seq(
    ViewColumn[Setting](
      "scope",
      StringType,
      "`config`: settings, which are the table's properties; `table`: notes on the table; `schema`: notes on " +
        "its schema",
      nullable = false
    )(_.scope),
    ViewColumn[Setting]("key", StringType, "its name", nullable = false)(_.key),
    ViewColumn[Setting]("value", StringType, "what it is set to", nullable = false)(_.value)
  )

  override def entries(source: MetadataSource): Iterator[Setting] = {
    val manifest = source.table.manifest
    Iterator(
      "config" -> manifest.config,
      "table" -> manifest.tableMetadata,
      "schema" -> manifest.schema.metadata
    ).flatMap { case (scope, settings) =>
      settings.toSeq.sorted.map { case (k, v) => new Setting(scope, k, v) }
    }
  }
}
