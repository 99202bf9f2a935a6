// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.manifest.{DataFile, Fragment}

/** Lists the fragments of a version. */
private object FragmentsView
    extends MetadataView("fragments", "a fragment of the version, in scan order") {
  override type Entry = Held

  /** @param blobs total size of blob files of the fragment; evaluated by listing them */
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
      "id of the fragment, the upper half of `_rowaddr`",
      nullable = false
    )(_.id),
    column("rows", LongType, "number of rows that are not deleted")(_.liveRows),
    column("physical_rows", LongType, "number of rows, including deleted rows")(_.physicalRows),
    column("deleted_rows", LongType, "number of deleted rows")(f =>
      for (physical <- f.physicalRows; live <- f.liveRows) yield physical - live
    ),
    column("data_files", IntegerType, "number of data files", nullable = false)(
      _.files.length
    ),
    column(
      "bytes",
      LongType,
      "size of the data files in bytes; null if not recorded"
    )(f => DataFile.totalBytes(f.files)),
    ViewColumn[Held](
      "blob_bytes",
      LongType,
      "size of the separate blob files in bytes",
      nullable = false
    )(_.blobBytes),
    column(
      "field_ids",
      ArrayType(IntegerType, containsNull = false),
      "ids of the fields in the files, see `columns`",
      nullable = false
    )(_.files.flatMap(_.fields).filter(_ >= 0).distinct.sorted),
    column(
      "has_deletion_file",
      BooleanType,
      "whether the fragment has deleted rows, see `deletions`",
      nullable = false
    )(_.deletionFile.isDefined)
  )

  override def entries(source: MetadataSource): Iterator[Held] = {
    lazy val blobs = source.table.blobBytes(isExact = true)
    source.table.fragments.iterator.zipWithIndex.map { case (f, i) => new Held(f, blobs(i)) }
  }
}
