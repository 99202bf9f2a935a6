// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.manifest.{DataFile, Fragment}

/** The fragments of a version. */
private object FragmentsView
    extends MetadataView("fragments", "a fragment of the version, in scan order") {
  override type Entry = Held

  /** @param blobs bytes of the files beside it that hold blobs, which are listed */
  final class Held(val fragment: Fragment, blobs: => Long) {
    def blobBytes: Long = blobs
  }

  private def column(name: String, dataType: DataType, meaning: String, nullable: Boolean = true)(
      value: Fragment => Any
  ): ViewColumn[Held] =
    ViewColumn[Held](name, dataType, meaning, nullable)(h => value(h.fragment))

  override val columns: Seq[ViewColumn[Held]] = Seq(
    column(
      "fragment_id",
      LongType,
      "its id, the upper half of `_rowaddr`",
      nullable = false
    )(_.id),
    column("rows", LongType, "rows that are not deleted")(_.liveRows),
    column("physical_rows", LongType, "rows with the deleted ones")(_.physicalRows),
    column("deleted_rows", LongType, "rows that are deleted")(f =>
      for (physical <- f.physicalRows; live <- f.liveRows) yield physical - live
    ),
    column("data_files", IntegerType, "data files", nullable = false)(
      _.files.length
    ),
    column(
      "bytes",
      LongType,
      "bytes of the data files; null where an old writer did not note them"
    )(f => DataFile.totalBytes(f.files)),
    ViewColumn[Held](
      "blob_bytes",
      LongType,
      "bytes of the files beside the data files that hold blobs",
      nullable = false
    )(_.blobBytes),
    column(
      "field_ids",
      ArrayType(IntegerType, containsNull = false),
      "fields that the files hold, see `columns`",
      nullable = false
    )(_.files.flatMap(_.fields).filter(_ >= 0).distinct.sorted),
    column(
      "has_deletion_file",
      BooleanType,
      "whether rows are deleted, see `deletions`",
      nullable = false
    )(_.deletionFile.isDefined)
  )

  override def entries(source: MetadataSource): Iterator[Held] = {
    lazy val blobs = source.table.blobBytes(isExact = true)
    source.table.fragments.iterator.zipWithIndex.map { case (f, i) => new Held(f, blobs(i)) }
  }
}
