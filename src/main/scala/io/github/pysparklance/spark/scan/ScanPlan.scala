// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{Field, RowRange, RowSelection}
import io.github.pysparklance.spark.types.{MetadataFields, SparkTypes}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.{DataFile, Fragment}
import io.github.pysparklance.table.{
  FragmentScan,
  LanceTable,
  LiveRowWindow,
  MetadataColumn,
  RowCondition
}

/** One scan, decided: the version is pinned, the columns are known. No data file is opened for it, but for row ids that
  * lie in one when the condition asks for them.
  *
  * @param store for the tasks to read with
  * @param fields what is read, cut down to what Spark asked for
  * @param metadata metadata columns, behind the fields
  * @param condition which rows are wanted; none: all
  * @param window which of them are left; all of them when there is a condition
  */
final private[scan] case class ScanPlan(
    table: LanceTable,
    store: FileStore,
    fields: IndexedSeq[Field],
    metadata: IndexedSeq[MetadataColumn],
    condition: Option[RowCondition],
    window: RowWindow,
    options: ReadOptions
) {

  /** The columns Spark gets. */
  lazy val schema: StructType =
    StructType(SparkTypes.structType(fields, options.types).fields ++
      metadata.map(MetadataFields.structField))

  private lazy val physicalRows: IndexedSeq[Long] =
    table.fragments.map(FragmentScan.physicalRows(table, _))

  private lazy val fragmentBytes: IndexedSeq[Long] =
    table.fragments.zip(physicalRows).map { case (f, rows) => projectedBytes(f, rows) }

  /** Rows of the table that are not deleted, as far as the manifest tells. */
  private def tableRows: Long = table.rowCount.getOrElse(physicalRows.sum)

  /** Rows of the answer, as far as that can be told without a look at them. */
  def numRows: Long = window.numRows(condition.fold(tableRows)(_.maxRows(tableRows)))

  /** Bytes of the projected columns in the files, about. */
  def numBytes: Long =
    if (tableRows == 0) 0L
    else (fragmentBytes.sum * (numRows.toDouble / tableRows)).toLong + numRows * 8 * metadata.length

  /** What each task reads. Fragments without a wanted row are not in it. */
  def tasks: IndexedSeq[IndexedSeq[FragmentScan]] =
    condition match {
      case Some(rows) => selected(rows.select(table))
      case None if window == RowWindow.all => ranged(physicalRows.map(RowRange(0, _)))
      case None => ranged(LiveRowWindow(table, window.ranks))
    }

  private def ranged(rows: IndexedSeq[RowRange]): IndexedSeq[IndexedSeq[FragmentScan]] = {
    val bytes = rows.indices.map(i => share(i, rows(i).numRows))
    SplitPlanner.plan(rows, bytes, options, options.batchRows).map(_.map { split =>
      scan(split, None, FragmentScan.defaultGapRows)
    })
  }

  private def selected(wanted: IndexedSeq[RowSelection]): IndexedSeq[IndexedSeq[FragmentScan]] = {
    val rows = wanted.map { w =>
      if (w.isEmpty) RowRange(0, 0) else RowRange(w.ranges.head.from, w.ranges.last.until)
    }
    val bytes = wanted.indices.map(i => share(i, wanted(i).numRows))
    SplitPlanner
      .plan(rows, bytes, options, options.batchRows)
      .map(_.flatMap { split =>
        val inSplit = wanted(split.fragment).within(split.rows)
        if (inSplit.isEmpty) None else Some(scan(split, Some(inSplit), gapRows(split.fragment)))
      })
      .filter(_.nonEmpty)
  }

  private def scan(split: Split, wanted: Option[RowSelection], gapRows: Long): FragmentScan =
    FragmentScan(table, split.fragment, split.rows, wanted, gapRows, metadata)

  /** Rows between wanted ones cost less to decode than to skip while they are few and small. */
  private def gapRows(fragment: Int): Long = {
    val rowBytes = fragmentBytes(fragment) / math.max(1L, physicalRows(fragment))
    math.min(FragmentScan.defaultGapRows, ScanPlan.gapBytes / math.max(1L, rowBytes))
  }

  private def share(fragment: Int, rows: Long): Long =
    (fragmentBytes(fragment).toDouble * rows / math.max(1L, physicalRows(fragment))).toLong

  private lazy val widths: Map[Int, Double] =
    table.schema.fields.flatMap(_.leaves).map(l => l.id -> Projection.estimatedBytes(l)).toMap

  private lazy val wantedIds: Set[Int] = fields.flatMap(_.leaves).map(_.id).toSet

  private def projectedBytes(fragment: Fragment, rows: Long): Long =
    fragment.files.map(projectedBytes(_, rows)).sum

  private def projectedBytes(file: DataFile, rows: Long): Long = {
    // Columns of other fields were dropped from the table, and are skipped in the file.
    val all = file.fields.map(id => widths.getOrElse(id, 8.0)).sum
    val read = file.fields.filter(wantedIds).map(widths.getOrElse(_, 0.0)).sum
    if (file.fileSizeBytes > 0) if (all == 0) 0L else (file.fileSizeBytes * (read / all)).toLong
    else (rows * read).toLong
  }
}

private[scan] object ScanPlan {

  /** Wanted rows with fewer bytes between them are read in one go. */
  private val gapBytes = 4096L
}
