// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.manifest.BasePath

/** The other places of a version. */
private object BasePathsView
    extends MetadataView(
      "base_paths",
      "a place outside the table's folder that holds files of the version"
    ) {
  override type Entry = BasePath

  override val columns: Seq[ViewColumn[BasePath]] = Seq(
    ViewColumn[BasePath]("base_id", IntegerType, "its id", nullable = false)(_.id),
    ViewColumn[BasePath]("name", StringType, "its name, where it has one")(_.name),
    ViewColumn[BasePath]("path", StringType, "the folder", nullable = false)(_.path),
    ViewColumn[BasePath](
      "is_dataset_root",
      BooleanType,
      "whether it has the folders of a table; else the files lie right in it",
      nullable = false
    )(_.isDatasetRoot)
  )

  override def entries(source: MetadataSource): Iterator[BasePath] =
    source.table.manifest.basePaths.values.toSeq.sortBy(_.id).iterator
}
