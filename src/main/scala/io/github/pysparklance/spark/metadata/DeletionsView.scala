// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.core.RowRange
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{DeletionFile, Fragment}

/** The deletion files of a version. */
private object DeletionsView
    extends MetadataView("deletions", "a fragment of the version that has deleted rows") {
  override type Entry = Deletion

  final class Deletion(table: LanceTable, val fragment: Fragment, val file: DeletionFile) {
    def path: Option[String] = table.deletionPath(fragment)
    private lazy val rows = table.deletionVector(fragment)
    def numRows: Long =
      if (file.numDeletedRows > 0) file.numDeletedRows else rows.numDeletedRows
    def offsets: Seq[Long] =
      rows.deletedIn(RowRange(0, rows.lastRow + 1)).toSeq.map(_ & 0xffffffffL)
  }

  override val columns: Seq[ViewColumn[Deletion]] = Seq(
    ViewColumn[Deletion]("fragment_id", LongType, "the fragment", nullable = false)(_.fragment.id),
    ViewColumn[Deletion]("path", StringType, "where its deletion file is")(_.path),
    ViewColumn[Deletion]("file_type", StringType, "`arrow` or `bitmap`", nullable = false)(
      _.file.fileType match {
        case DeletionFile.ArrowArray => "arrow"
        case DeletionFile.Bitmap => "bitmap"
      }
    ),
    ViewColumn[Deletion]("read_version", LongType, "version it was based on", nullable = false)(
      _.file.readVersion
    ),
    ViewColumn[Deletion]("deleted_rows", LongType, "how many rows are deleted", nullable = false)(
      _.numRows
    ),
    ViewColumn[Deletion](
      "offsets",
      ArrayType(LongType, containsNull = false),
      "which ones, by their offset in the fragment; the file is read for them",
      nullable = false
    )(_.offsets),
    ViewColumn[Deletion](
      "base_id",
      IntegerType,
      "base path it lies under, see `base_paths`; null: the table's own folder"
    )(_.file.baseId)
  )

  override def entries(source: MetadataSource): Iterator[Deletion] =
    for (fragment <- source.table.fragments.iterator; file <- fragment.deletionFile)
      yield new Deletion(source.table, fragment, file)
}
