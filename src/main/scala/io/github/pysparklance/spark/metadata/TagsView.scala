// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Tag

/** Lists the tags of a table. */
private object TagsView extends MetadataView("tags", "a tag of the table, ordered by name") {
  override type Entry = Tag

  override val columns: Seq[ViewColumn[Tag]] = Seq(
    ViewColumn[Tag]("name", StringType, "name", nullable = false)(_.name),
    ViewColumn[Tag]("branch", StringType, "branch of the version; null for `main`")(_.branch),
    ViewColumn[Tag]("version", LongType, "version of the tag", nullable = false)(_.version),
    ViewColumn[Tag]("created_at", TimestampType, "time of creation")(_.createdAt),
    ViewColumn[Tag](
      "updated_at",
      TimestampType,
      "time when the tag was set to this version"
    )(_.updatedAt),
    ViewColumn[Tag]("manifest_bytes", LongType, "size of the version's manifest in bytes")(
      _.manifestSizeBytes
    ),
    ViewColumn[Tag](
      "metadata",
      MapType(StringType, StringType, valueContainsNull = false),
      "metadata",
      nullable = false
    )(_.metadata)
  )

  override def isVersioned: Boolean = false

  override def entries(source: MetadataSource): Iterator[Tag] =
    LanceTable.tags(source.home.store, source.home.path).list().iterator
}
