// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.core.Workers
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.FilePage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{DataFile, Fragment}

/** Lists the pages of data files of a version. Reading a file takes a request; several requests run
  * in parallel.
  */
private object PagesView
    extends MetadataView(
      "pages",
      "a page of a column in a data file of the version; the query reads all file footers"
    ) {
  override type Entry = Placed

  /** A page and its location. */
  final class Placed(
      val path: String,
      val fragment: Fragment,
      val file: DataFile,
      val page: FilePage,
      val column: Option[(Int, String)]
  )

  override val columns: Seq[ViewColumn[Placed]] = Seq(
    ViewColumn[Placed](
      "column",
      StringType,
      "`path` in `columns`; null for a field that is no longer used"
    )(_.column.map(_._2)),
    ViewColumn[Placed]("field_id", IntegerType, "id of the field")(_.column.map(_._1)),
    ViewColumn[Placed]("fragment_id", LongType, "id of the fragment", nullable = false)(
      _.fragment.id
    ),
    ViewColumn[Placed]("file", StringType, "path of the file", nullable = false)(_.path),
    ViewColumn[Placed](
      "page",
      IntegerType,
      "index of the page in the column of the file, from 0",
      nullable = false
    )(_.page.number),
    ViewColumn[Placed](
      "first_row",
      LongType,
      "first row of the page in the file; the first item for lists in file versions 0.1 and 2.0",
      nullable = false
    )(_.page.firstRow),
    ViewColumn[Placed](
      "rows",
      LongType,
      "number of rows, including deleted rows",
      nullable = false
    )(
      _.page.numRows
    ),
    ViewColumn[Placed](
      "offset",
      LongType,
      "offset of the page in the file; null if it has no bytes"
    )(
      _.page.offsetBytes
    ),
    ViewColumn[Placed]("bytes", LongType, "size of the buffers in bytes", nullable = false)(
      _.page.sizeBytes
    ),
    ViewColumn[Placed]("buffers", IntegerType, "number of buffers", nullable = false)(
      _.page.numBuffers
    ),
    ViewColumn[Placed](
      "layout",
      StringType,
      "page layout, such as `mini_block`",
      nullable = false
    )(_.page.outline.layout),
    ViewColumn[Placed](
      "encoding",
      StringType,
      "encoding of the values, such as `fsst(variable)`",
      nullable = false
    )(_.page.outline.encoding)
  )

  override def entries(source: MetadataSource): Iterator[Placed] = {
    val table = source.table
    val names = ColumnsView.entries(source).map(l => l.field.id -> l.path).toMap
    val files = for (f <- table.fragments.iterator; file <- f.files.iterator) yield (f, file)
    files.grouped(FilesAtATime).flatMap { group =>
      Workers
        .map(group.toIndexedSeq, FilesAtATime) { case (f, file) => ofFile(table, names, f, file) }
        .flatten
    }
  }

  /** Maximum concurrent requests. */
  private val FilesAtATime = 16

  private def ofFile(
      table: LanceTable,
      names: Map[Int, String],
      fragment: Fragment,
      file: DataFile
  ): IndexedSeq[Placed] = {
    val path = table.pathOf(file)
    table.pagesOf(file).map { page =>
      val id =
        if (file.fileVersion == FileVersion.V0_1) Some(page.column)
        else
          file.columnIndices.indexOf(page.column) match {
            case -1 => None
            case at => Some(file.fields(at))
          }
      new Placed(path, fragment, file, page, id.flatMap(i => names.get(i).map(i -> _)))
    }
  }
}
