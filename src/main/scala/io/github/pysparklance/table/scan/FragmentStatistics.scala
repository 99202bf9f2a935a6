// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.scan

import scala.util.Using

import io.github.pysparklance.core.{Field, RowSelection}
import io.github.pysparklance.file.DataFiles
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.file.spi.PageStatistics
import io.github.pysparklance.storage.spi.FileStore

/** Min/max statistics in the files of a fragment, used to skip pages. Only files of version 0.1
  * have them; later versions rely on indices.
  */
object FragmentStatistics {

  /** Returns statistics of runs of physical rows, or `None` if no file has any.
    *
    * @param field without children
    * @throws io.github.pysparklance.core.CorruptFileException if a file violates the format or the
    *   manifest
    */
  def read(store: FileStore, scan: FragmentScan, field: Field): Option[PageStatistics] =
    scan.fragment.files.zip(scan.paths).find(_._1.columnOf(field.id).isDefined).flatMap {
      case (file, path) if file.fileVersion == FileVersion.V0_1 =>
        val numRows = scan.fragment.physicalRows.getOrElse(scan.rows.until)
        val columns = file.columnOf(field.id).toSeq
        Using.resource(DataFiles.open(store.open(path), file.fields, columns, numRows)) {
          _.statistics(field.id)
        }
      case _ => None
    }

  /** Returns the rows of all runs that may have a matching value.
    *
    * @param mayMatch whether the run with this number may match; runs without statistics have null
    *   in both slots
    */
  def select(bounds: PageStatistics, mayMatch: Int => Boolean): RowSelection =
    RowSelection.of(
      bounds.runs.indices.collect { case i if mayMatch(i) => bounds.runs(i) }.filterNot(_.isEmpty)
    )
}
