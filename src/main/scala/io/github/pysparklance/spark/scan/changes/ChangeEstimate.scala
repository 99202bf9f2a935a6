// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import io.github.pysparklance.core.{Field, RowRange}
import io.github.pysparklance.spark.scan.SplitPlanner
import io.github.pysparklance.spark.scan.push.Projection
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.table.changes.Changes
import io.github.pysparklance.table.manifest.DataFile
import io.github.pysparklance.table.scan.FragmentScan

/** Estimates the bytes of changed rows by their types and the sizes of files, and splits them into
  * tasks.
  *
  * @param parts the rows
  * @param columns all columns of the table
  */
final private[spark] class ChangeEstimate(
    parts: IndexedSeq[Changes.Part],
    columns: IndexedSeq[Field],
    read: ReadTask
) {
  private val wanted = leaves(read.fields ++ read.filter.fold(IndexedSeq.empty[Field])(_.fields))
  private val all = leaves(columns)

  private def leaves(fields: IndexedSeq[Field]): IndexedSeq[Field] =
    fields.flatMap(_.leaves).groupBy(_.id).map(_._2.head).toIndexedSeq

  private val (variable, fixedBytes) = {
    val (v, fixed) = wanted.partition(Projection.isVariable)
    (v.length, fixed.map(Projection.estimatedBytes).sum)
  }
  private val (allVariable, allFixedBytes) = {
    val (v, fixed) = all.partition(Projection.isVariable)
    (v.length, fixed.map(Projection.estimatedBytes).sum)
  }

  /** Bytes of a row of a part: strings, bytes, and blobs have what the other columns leave of the
    * files.
    */
  private def rowBytes(part: Changes.Part): Double =
    if (variable == 0) fixedBytes
    else {
      val ofFiles = for {
        bytes <- DataFile.totalBytes(part.fragment.files)
        rows <- part.fragment.physicalRows
      } yield bytes.toDouble / rows
      val ofVariable = ofFiles.fold(ChangeEstimate.variableBytes * allVariable)(b =>
        math.max(allVariable.toDouble, b - allFixedBytes)
      )
      fixedBytes + ofVariable * variable / math.max(1, allVariable)
    }

  private lazy val bytes: IndexedSeq[Long] =
    parts.map(p => (p.selection.numRows * rowBytes(p)).toLong)

  /** Bytes of all rows. */
  def numBytes: Long = bytes.sum

  /** The scans of each task, in order of commits. */
  def tasks: IndexedSeq[IndexedSeq[FragmentScan]] = {
    val spans = parts.map { p =>
      RowRange(p.selection.ranges.head.from, p.selection.ranges.last.until)
    }
    SplitPlanner
      .plan(spans, bytes, read.options, read.options.batchRows)
      .map(_.flatMap { split =>
        val part = parts(split.fragment)
        part.scan(
          split.rows,
          gapRows(part),
          read.allComputed
        ).map(_.allowing(read.options.blobUris))
      })
      .filter(_.nonEmpty)
  }

  private def gapRows(part: Changes.Part): Long = math.min(
    FragmentScan.defaultGapRows,
    (ChangeEstimate.gapBytes / math.max(1.0, rowBytes(part))).toLong
  )
}

private object ChangeEstimate {

  /** Bytes of a value of any length if the sizes of files are not known. */
  private val variableBytes = 16.0

  /** Wanted rows with fewer bytes between them are read in one go. */
  private val gapBytes = 4096.0
}
