// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.manifest.BasePath

/** Lists the base paths of a version. */
private object BasePathsView
    extends MetadataView(
      "base_paths",
      "a folder outside the table's folder with files of the version"
    ) {
  override type Entry = BasePath

  override val columns: Seq[ViewColumn[BasePath]] = Seq(
    ViewColumn[BasePath]("base_id", IntegerType, "id of the base path", nullable = false)(_.id),
    ViewColumn[BasePath]("name", StringType, "name of the base path; null if it has none")(_.name),
    ViewColumn[BasePath]("path", StringType, "path of the folder", nullable = false)(_.path),
    ViewColumn[BasePath](
      "is_dataset_root",
      BooleanType,
      "whether the folder has the subfolders of a table; otherwise, files are stored directly in it",
      nullable = false
    )(_.isDatasetRoot)
  )

  override def entries(source: MetadataSource): Iterator[BasePath] =
    source.table.manifest.basePaths.values.toSeq.sortBy(_.id).iterator
}
