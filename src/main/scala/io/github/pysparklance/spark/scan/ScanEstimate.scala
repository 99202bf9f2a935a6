// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import io.github.pysparklance.core.{BlobField, BlobMode, Field}
import io.github.pysparklance.table.manifest.DataFile
import io.github.pysparklance.table.scan.FragmentScan

/** Estimates the size of a scan from the manifest, for Spark's planner and for splitting into tasks. Opens no data file. */
final private[scan] class ScanEstimate(plan: ScanPlan) {
  import plan.{condition, read, schema, table, window}
  import read.{fields, filter, options, sample, top}

  /** Rows of each fragment, deleted ones included. */
  val physicalRows: IndexedSeq[Long] = table.fragments.map(table.physicalRows(_))

  private lazy val fragmentBytes: IndexedSeq[Long] =
    projectedBytes(id => if (wantedIds(id)) 1.0 else 0.0)

  /** Leaves whose blobs are read, rather than their descriptors or lengths. */
  private lazy val contentIds: Set[Int] =
    (fields ++ filter.fold(IndexedSeq.empty[Field])(_.fields))
      .flatMap(_.leaves)
      .filter(l => l.isBlob && BlobField.mode(l) == BlobMode.Content)
      .map(_.id)
      .toSet

  /** Leaves of blobs, which have bytes outside of pages besides the descriptors in pages. */
  private lazy val blobIds: Set[Int] =
    table.schema.fields.flatMap(_.leaves).filter(_.isBlob).map(_.id).toSet

  /** Bytes of blobs in side files of each fragment, if they are read. */
  private lazy val blobFileBytes: IndexedSeq[Long] =
    if (contentIds.isEmpty) table.fragments.map(_ => 0L) else table.blobBytes(isExact = false)

  /** Bytes that tasks read of each fragment: most columns for matching rows only. */
  private lazy val fragmentTaskBytes: IndexedSeq[Long] = filter.fold(fragmentBytes) { f =>
    val selectivity = f.guessedShare
    projectedBytes(id => if (filteredIds(id)) 1.0 else if (wantedIds(id)) selectivity else 0.0)
  }

  /** Rows of the table that are not deleted, as far as the manifest counts them. */
  private def tableRows: Long =
    if (options.includesDeleted) physicalRows.sum
    else table.rowCount.getOrElse(physicalRows.sum)

  /** Rows of the result, without regard to the selectivity of the filter. */
  def numRows: Long = {
    val wanted = condition.fold(tableRows)(_.maxRows(tableRows))
    window.numRows(sample.fold(wanted)(s => math.ceil(wanted * s.fraction).toLong))
  }

  /** Bytes of the result in memory, by which Spark chooses joins: its rows by the default sizes of their types, or the
    * bytes in files if those are more, as for long values. Bytes in files alone would have Spark broadcast millions of
    * rows that are stored in few bytes. See `docs/decisions/0009`.
    */
  lazy val numBytes: Long =
    if (tableRows == 0) 0L
    else {
      val stored = fragmentBytes.sum.toDouble * numRows / tableRows
      math.max(stored, numRows.toDouble * schema.defaultSize).toLong
    }

  /** Bytes that tasks read for a number of rows of a fragment.
    *
    * @param fragment position in the table
    */
  def taskBytes(fragment: Int, rows: Long): Long =
    (fragmentTaskBytes(fragment).toDouble * rows / math.max(1L, physicalRows(fragment))).toLong

  /** Fragments are split at multiples of this number of rows: a batch, or fewer rows if they have blobs, which take a
    * sixteenth of a task at most.
    */
  def rowAlignment: Int =
    if (contentIds.isEmpty) options.batchRows
    else {
      val rowBytes = math.max(1L, fragmentTaskBytes.sum / math.max(1L, physicalRows.sum))
      math.max(1L, math.min(options.batchRows.toLong, options.maxSplitBytes / 16 / rowBytes)).toInt
    }

  /** Unwanted rows between wanted rows of a fragment are decoded rather than skipped up to this number. */
  def gapRows(fragment: Int): Long = {
    val rowBytes = fragmentBytes(fragment) / math.max(1L, physicalRows(fragment))
    math.min(FragmentScan.defaultGapRows, ScanEstimate.gapBytes / math.max(1L, rowBytes))
  }

  private lazy val widths: Map[Int, Double] =
    table.schema.fields.flatMap(_.leaves).map(l => l.id -> Projection.estimatedBytes(l)).toMap

  /** Leaves whose values have one length. */
  private lazy val fixedIds: Set[Int] =
    table.schema.fields.flatMap(_.leaves).filterNot(Projection.isVariable).map(_.id).toSet

  /** Leaves that the filter looks at. */
  private lazy val filteredIds: Set[Int] = leafIds(filter.fold(IndexedSeq.empty[Field])(_.fields))

  /** Leaves that are read, at least of some rows. */
  private lazy val wantedIds: Set[Int] = leafIds(top.fold(fields)(_.fields)) ++ filteredIds

  private def leafIds(of: IndexedSeq[Field]): Set[Int] = of.flatMap(_.leaves).map(_.id).toSet

  /** Bytes of each fragment.
    *
    * @param share of a leaf by its id that counts
    */
  private def projectedBytes(share: Int => Double): IndexedSeq[Long] =
    table.fragments.indices.map { i =>
      val inFiles = table.fragments(i).files.map(projectedBytes(_, physicalRows(i), share)).sum
      val read = contentIds.iterator.map(share).reduceOption(_ max _).getOrElse(0.0)
      inFiles + (blobFileBytes(i) * read).toLong
    }

  private def projectedBytes(file: DataFile, rows: Long, share: Int => Double): Long = {
    // Columns of other fields were dropped from the table, and are skipped in the file.
    def bytes(ids: IndexedSeq[Int], share: Int => Double): Double =
      ids.iterator.map(id => rows * widths.getOrElse(id, 8.0) * share(id)).sum
    val (fixedFields, variableFields) = file.fields.partition(fixedIds)
    val fixed = bytes(fixedFields, _ => 1.0)
    val blobs = file.fields.filter(blobIds)
    def outOfLine(share: Int => Double): Double =
      blobs.iterator.map(id => rows * ScanEstimate.blobBytes * share(id)).sum
    val variable = bytes(variableFields, _ => 1.0) + outOfLine(_ => 1.0)
    if (fixed + variable == 0) 0L
    else {
      val whole = if (file.fileSizeBytes > 0) file.fileSizeBytes.toDouble else fixed + variable
      val scale = whole / (fixed + variable)
      // Strings, bytes and blobs may be of any length: they have what the other columns leave of a file.
      val fixedScale = if (variable > 0) math.min(1.0, scale) else scale
      val variableScale = if (variable > 0) (whole - fixedScale * fixed) / variable else 0.0
      val wanted = bytes(variableFields, share) +
        outOfLine(id => if (contentIds(id)) share(id) else 0.0)
      (bytes(fixedFields, share) * fixedScale + wanted * variableScale).toLong
    }
  }
}

private object ScanEstimate {

  /** What a blob counts beside a string, of what other columns leave of a file. */
  private val blobBytes = 4096.0

  /** Wanted rows with fewer bytes between them are read in one go. */
  private val gapBytes = 4096L
}
