// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import scala.util.Using

import io.github.pysparklance.core.{Field, RowSelection}
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.PageBounds
import io.github.pysparklance.storage.spi.FileStore

/** What the files of a fragment know of the values of their columns, for skipping pages before they are read. Files of
  * version 0.1 know something; later ones leave it to indices.
  */
object FragmentBounds {

  /** Bounds in runs of the fragment's physical rows; none when no file has any.
    *
    * @param field without children
    * @throws io.github.pysparklance.core.CorruptFileException when a file contradicts the format or the manifest
    */
  def read(store: FileStore, scan: FragmentScan, field: Field): Option[PageBounds] =
    scan.fragment.files.zip(scan.paths).find(_._1.columnOf(field.id).isDefined).flatMap {
      case (file, path) if file.fileVersion == FileVersion.V0_1 =>
        val numRows = scan.fragment.physicalRows.getOrElse(scan.rows.until)
        val columns = file.columnOf(field.id).toSeq
        Using.resource(DataFiles.open(store.open(path), file.fields, columns, numRows)) {
          _.bounds(field.id)
        }
      case _ => None
    }

  /** The rows of the runs that may hold a value of interest.
    *
    * @param mayMatch whether the run of that number may; it has no bounds to go by where both slots are null
    */
  def select(bounds: PageBounds, mayMatch: Int => Boolean): RowSelection =
    RowSelection.of(
      bounds.runs.indices.collect { case i if mayMatch(i) => bounds.runs(i) }.filterNot(_.isEmpty)
    )
}
