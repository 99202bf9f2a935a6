// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.manifest.{DataFile, Fragment}

/** The fragments of a version. */
private object FragmentsView
    extends MetadataView("fragments", "a fragment of the version, in scan order") {
  override type Entry = Fragment

  override val columns: Seq[ViewColumn[Fragment]] = Seq(
    ViewColumn[Fragment](
      "fragment_id",
      LongType,
      "its id, the upper half of `_rowaddr`",
      nullable = false
    )(_.id),
    ViewColumn[Fragment]("rows", LongType, "rows that are not deleted")(_.liveRows),
    ViewColumn[Fragment]("physical_rows", LongType, "rows with the deleted ones")(_.physicalRows),
    ViewColumn[Fragment]("deleted_rows", LongType, "rows that are deleted")(f =>
      for (physical <- f.physicalRows; live <- f.liveRows) yield physical - live
    ),
    ViewColumn[Fragment]("data_files", IntegerType, "data files", nullable = false)(
      _.files.length
    ),
    ViewColumn[Fragment](
      "bytes",
      LongType,
      "bytes of the data files; null where an old writer did not note them"
    )(f => DataFile.totalBytes(f.files)),
    ViewColumn[Fragment](
      "field_ids",
      ArrayType(IntegerType, containsNull = false),
      "fields that the files hold, see `columns`",
      nullable = false
    )(_.files.flatMap(_.fields).filter(_ >= 0).distinct.sorted),
    ViewColumn[Fragment](
      "has_deletion_file",
      BooleanType,
      "whether rows are deleted, see `deletions`",
      nullable = false
    )(_.deletionFile.isDefined)
  )

  override def entries(source: MetadataSource): Iterator[Fragment] =
    source.table.fragments.iterator
}
