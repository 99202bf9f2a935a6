// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.{BlobField, BlobMode, Field, Wrapped}
import io.github.pysparklance.spark.scan.push.Projection
import io.github.pysparklance.table.scan.FragmentScan

/** Estimates the size of a scan from the manifest, for Spark's planner and for splitting into
  * tasks. Opens no data files.
  */
final private[scan] class ScanEstimate(plan: ScanPlan) {
  import plan.{condition, read, schema, table, window}
  import read.{fields, filter, options, sample, top}

  /** Rows of each fragment, including deleted rows. */
  val physicalRows: IndexedSeq[Long] =
    Wrapped(table.fragments.iterator.map(table.physicalRows(_)).toArray)

  private lazy val allBytes: ProjectedBytes =
    new ProjectedBytes(id => if (wantedIds(id)) 1.0 else 0.0)

  /** Leaves whose blobs are read, instead of their descriptors or sizes. */
  private lazy val contentIds: Set[Int] =
    (fields ++ filter.fold(IndexedSeq.empty[Field])(_.fields))
      .flatMap(_.leaves)
      .filter(l => l.isBlob && BlobField.mode(l) == BlobMode.Content)
      .map(_.id)
      .toSet

  /** Leaves with blobs, whose content is stored outside of the pages. */
  private lazy val blobIds: Set[Int] =
    table.schema.fields.flatMap(_.leaves).filter(_.isBlob).map(_.id).toSet

  /** Size of the blob files of each fragment, if they are read. */
  private lazy val blobFileBytes: IndexedSeq[Long] =
    if (contentIds.isEmpty) table.fragments.map(_ => 0L) else table.blobBytes(isExact = false)

  /** Bytes that tasks read of a fragment. Columns outside of the filter are only read for matching
    * rows.
    */
  private lazy val readBytes: ProjectedBytes = filter.fold(allBytes) { f =>
    val selectivity = f.guessedShare
    new ProjectedBytes(id =>
      if (filteredIds(id)) 1.0 else if (wantedIds(id)) selectivity else 0.0
    )
  }

  /** Live rows of the table if the manifest has their number. */
  private def tableRows: Long =
    if (options.includesDeleted) physicalRows.sum
    else table.rowCount.getOrElse(physicalRows.sum)

  /** Rows of the result, ignoring the selectivity of the filter. */
  def numRows: Long = {
    val wanted = condition.fold(tableRows)(_.maxRows(tableRows))
    window.numRows(sample.fold(wanted)(s => math.ceil(wanted * s.fraction).toLong))
  }

  /** Size of the result in memory, by which Spark selects join strategies. This is the number of
    * rows multiplied by the default size of their types, or the size in files if it is greater.
    * With sizes in files alone, Spark would broadcast millions of well-compressed rows. See
    * `docs/decisions/0009`.
    */
  lazy val numBytes: Long =
    if (tableRows == 0) 0L
    else {
      val fragmentBytes = table.fragments.indices.iterator.map(allBytes(_)).sum
      val stored = fragmentBytes.toDouble * numRows / tableRows
      math.max(stored, numRows.toDouble * schema.defaultSize).toLong
    }

  /** Average size of a row of the result in bytes, at least 1. */
  def rowBytes: Long = math.max(1L, numBytes / math.max(1L, numRows))

  /** Returns the bytes that tasks read for a number of rows of a fragment.
    *
    * @param fragment position in the table
    */
  def taskBytes(fragment: Int, rows: Long): Long =
    (readBytes(fragment).toDouble * rows / math.max(1L, physicalRows(fragment))).toLong

  /** Fragments are split at multiples of this number of rows: a batch, or fewer rows if they have
    * blobs. Such rows take at most 1/16 of a task.
    */
  def rowAlignment: Int =
    if (contentIds.isEmpty) options.batchRows
    else {
      val rowBytes = math.max(
        1L,
        table.fragments.indices.iterator.map(readBytes(_)).sum / math.max(1L, physicalRows.sum)
      )
      math.max(1L, math.min(options.batchRows.toLong, options.maxSplitBytes / 16 / rowBytes)).toInt
    }

  /** Up to this number, rows between selected rows of a fragment are decoded rather than skipped.
    */
  def gapRows(fragment: Int): Long =
    FragmentScan.gapRows(allBytes(fragment) / math.max(1L, physicalRows(fragment)))

  private lazy val leafWidths: Map[Int, Double] =
    table.schema.fields.flatMap(_.leaves).map(l => l.id -> Projection.estimatedBytes(l)).toMap

  /** Leaves with fixed-width values. */
  private lazy val fixedIds: Set[Int] =
    table.schema.fields.flatMap(_.leaves).filterNot(Projection.isVariable).map(_.id).toSet

  /** Leaves in the filter. */
  private lazy val filteredIds: Set[Int] = leafIds(filter.fold(IndexedSeq.empty[Field])(_.fields))

  /** Leaves that are read, at least for some rows. */
  private lazy val wantedIds: Set[Int] = leafIds(top.fold(fields)(_.fields)) ++ filteredIds

  private def leafIds(of: IndexedSeq[Field]): Set[Int] = of.flatMap(_.leaves).map(_.id).toSet

  /** Estimates the size of leaves in a fragment. Most files of a table have the same columns, so
    * their share of a row is computed once.
    *
    * @param share share of a leaf, by its id, that is read
    */
  final private class ProjectedBytes(share: Int => Double) {
    private val widthsOf = mutable.HashMap.empty[java.util.List[Integer], FileWidths]
    private lazy val blobShare =
      contentIds.iterator.map(share).reduceOption(_ max _).getOrElse(0.0)

    /** @param fragment position in the table */
    def apply(fragment: Int): Long = {
      val rows = physicalRows(fragment)
      val inFiles = table.fragments(fragment).sumOfFiles(bytes(_, _, rows))
      if (blobShare == 0.0) inFiles
      else inFiles + (blobFileBytes(fragment) * blobShare).toLong
    }

    private def bytes(fields: java.util.List[Integer], fileSizeBytes: Long, rows: Long): Long = {
      val row = widthsOf.getOrElseUpdate(
        fields,
        widths(fields.asScala.iterator.map(_.intValue).toIndexedSeq)
      )
      if (row.fixed + row.variable == 0) 0L
      else {
        val (fixed, variable) = (rows * row.fixed, rows * row.variable)
        val whole =
          if (fileSizeBytes > 0) fileSizeBytes.toDouble else fixed + variable
        val scale = whole / (fixed + variable)
        // Variable-width columns get the part of a file that the fixed-width columns do not use.
        val fixedScale = if (variable > 0) math.min(1.0, scale) else scale
        val variableScale = if (variable > 0) (whole - fixedScale * fixed) / variable else 0.0
        (rows * row.wantedFixed * fixedScale + rows * row.wantedVariable * variableScale).toLong
      }
    }

    private def widths(fields: IndexedSeq[Int]): FileWidths = {
      // Columns of other fields were dropped from the table, and are skipped in the file.
      def row(ids: IndexedSeq[Int], share: Int => Double): Double =
        ids.iterator.map(id => leafWidths.getOrElse(id, 8.0) * share(id)).sum
      val (fixed, variable) = fields.partition(fixedIds)
      val blobs = fields.filter(blobIds)
      def outOfLine(share: Int => Double): Double =
        blobs.iterator.map(id => ScanEstimate.blobBytes * share(id)).sum
      FileWidths(
        row(fixed, _ => 1.0),
        row(variable, _ => 1.0) + outOfLine(_ => 1.0),
        row(fixed, share),
        row(variable, share) + outOfLine(id => if (contentIds(id)) share(id) else 0.0)
      )
    }
  }
}

/** Estimated bytes of a row in a file.
  *
  * @param fixed fixed-width columns
  * @param variable variable-width columns
  * @param wantedFixed fixed-width columns that are read
  * @param wantedVariable variable-width columns that are read
  */
final private case class FileWidths(
    fixed: Double,
    variable: Double,
    wantedFixed: Double,
    wantedVariable: Double
)

private object ScanEstimate {

  /** Assumed size of a blob in a file, relative to other variable-width columns. */
  private val blobBytes = 4096.0
}
