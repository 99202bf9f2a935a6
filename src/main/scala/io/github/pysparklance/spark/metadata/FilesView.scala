// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.metadata

import org.apache.spark.sql.types._

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.{DataFile, Fragment}

/** Lists the data files of a version. */
private object FilesView extends MetadataView("files", "a data file of the version") {
  override type Entry = Placed

  /** A data file and its fragment. */
  final class Placed(val table: LanceTable, val fragment: Fragment, val file: DataFile)

  override val columns: Seq[ViewColumn[Placed]] = Seq(
    ViewColumn[Placed]("path", StringType, "path of the file", nullable = false)(p =>
      p.table.pathOf(p.file)
    ),
    ViewColumn[Placed]("fragment_id", LongType, "id of the fragment", nullable = false)(
      _.fragment.id
    ),
    ViewColumn[Placed]("physical_rows", LongType, "number of rows, including deleted rows")(
      _.fragment.physicalRows
    ),
    ViewColumn[Placed]("file_version", StringType, "file version", nullable = false)(
      _.file.fileVersion.text
    ),
    ViewColumn[Placed]("bytes", LongType, "size of the file in bytes; null if not recorded")(
      _.file.reliableSizeBytes
    ),
    ViewColumn[Placed](
      "field_ids",
      ArrayType(IntegerType, containsNull = false),
      "ids of the fields in the file, see `columns`; negative for fields that are no longer used",
      nullable = false
    )(_.file.fields),
    ViewColumn[Placed](
      "columns",
      ArrayType(StringType, containsNull = false),
      "names of the columns that are stored in the file, at least in part",
      nullable = false
    )(p => names(p.table, p.file)),
    ViewColumn[Placed](
      "base_id",
      IntegerType,
      "id of the base path, see `base_paths`; null for the table's own folder"
    )(_.file.baseId)
  )

  private def names(table: LanceTable, file: DataFile): Seq[String] = {
    val held = file.fields.toSet
    table.schema.fields.filter(_.flatten.exists(f => held(f.id))).map(_.name)
  }

  override def entries(source: MetadataSource): Iterator[Placed] =
    for (fragment <- source.table.fragments.iterator; file <- fragment.files)
      yield new Placed(source.table, fragment, file)
}
