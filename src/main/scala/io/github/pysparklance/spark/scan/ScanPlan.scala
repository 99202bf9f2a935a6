// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.types.SparkTypes
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.{FragmentScan, LanceTable}

/** One scan, decided: the version is pinned, the columns are known. No data file is opened for it.
  *
  * @param store for the tasks to read with
  * @param fields what is read, cut down to what Spark asked for
  */
final private[scan] case class ScanPlan(
    table: LanceTable,
    store: FileStore,
    fields: IndexedSeq[Field],
    options: ReadOptions
) {

  /** The columns Spark gets. */
  lazy val schema: StructType = SparkTypes.structType(fields)

  private lazy val physicalRows: IndexedSeq[Long] =
    table.fragments.map(FragmentScan.physicalRows(table, _))

  private lazy val fragmentBytes: IndexedSeq[Long] =
    table.fragments.zip(physicalRows).map { case (f, rows) => projectedBytes(f, rows) }

  /** Live rows, as far as the manifest tells. */
  def numRows: Long = table.rowCount.getOrElse(physicalRows.sum)

  /** Bytes of the projected columns in the files, about. */
  def numBytes: Long = fragmentBytes.sum

  /** What each task reads. */
  def tasks: IndexedSeq[IndexedSeq[FragmentScan]] =
    SplitPlanner
      .plan(physicalRows, fragmentBytes, options, options.batchRows)
      .map(_.map(split => FragmentScan(table, table.fragments(split.fragment), split.rows)))

  private lazy val widths: Map[Int, Double] =
    table.schema.fields.flatMap(_.leaves).map(l => l.id -> Projection.estimatedBytes(l)).toMap

  private lazy val wanted: Set[Int] = fields.flatMap(_.leaves).map(_.id).toSet

  private def projectedBytes(fragment: Fragment, rows: Long): Long =
    fragment.files.map(projectedBytes(_, rows)).sum

  private def projectedBytes(file: DataFile, rows: Long): Long = {
    // Columns of other fields were dropped from the table, and are skipped in the file.
    val all = file.fields.map(id => widths.getOrElse(id, 8.0)).sum
    val read = file.fields.filter(wanted).map(widths.getOrElse(_, 0.0)).sum
    if (file.fileSizeBytes > 0) if (all == 0) 0L else (file.fileSizeBytes * (read / all)).toLong
    else (rows * read).toLong
  }

}
