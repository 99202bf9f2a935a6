// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.core.RowRange
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{DeletionFile, Fragment}

/** Lists the deletion files of a version. */
private object DeletionsView
    extends MetadataView("deletions", "a fragment of the version with deleted rows") {
  override type Entry = Deletion

  /** A deletion file. */
  final class Deletion(table: LanceTable, val fragment: Fragment, val file: DeletionFile) {
    def path: Option[String] = table.deletionPath(fragment)
    private lazy val rows = table.deletionVector(fragment)
    def numRows: Long =
      if (file.numDeletedRows > 0) file.numDeletedRows else rows.numDeletedRows
    def offsets: Seq[Long] =
      rows.deletedIn(RowRange(0, rows.lastRow + 1)).toSeq.map(_ & 0xffffffffL)
  }

  override val columns: Seq[ViewColumn[Deletion]] = Seq(
    ViewColumn[Deletion](
      "fragment_id",
      LongType,
      "id of the fragment",
      nullable = false
    )(_.fragment.id),
    ViewColumn[Deletion]("path", StringType, "path of the deletion file")(_.path),
    ViewColumn[Deletion]("file_type", StringType, "`arrow` or `bitmap`", nullable = false)(
      _.file.fileType match {
        case DeletionFile.ArrowArray => "arrow"
        case DeletionFile.Bitmap => "bitmap"
      }
    ),
    ViewColumn[Deletion](
      "read_version",
      LongType,
      "version that the deletion is based on",
      nullable = false
    )(
      _.file.readVersion
    ),
    ViewColumn[Deletion]("deleted_rows", LongType, "number of deleted rows", nullable = false)(
      _.numRows
    ),
    ViewColumn[Deletion](
      "offsets",
      ArrayType(LongType, containsNull = false),
      "offsets of the deleted rows in the fragment; the query reads the deletion file",
      nullable = false
    )(_.offsets),
    ViewColumn[Deletion](
      "base_id",
      IntegerType,
      "id of the base path, see `base_paths`; null for the table's own folder"
    )(_.file.baseId)
  )

  override def entries(source: MetadataSource): Iterator[Deletion] =
    for (fragment <- source.table.fragments.iterator; file <- fragment.deletionFile)
      yield new Deletion(source.table, fragment, file)
}
