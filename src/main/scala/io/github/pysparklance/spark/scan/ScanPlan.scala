// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{BlobField, BlobMode, Field, Optional, RowRange, RowSelection}
import io.github.pysparklance.spark.filter.{FragmentSkipping, RowFilter}
import io.github.pysparklance.spark.types.{MetadataFields, SparkTypes}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.manifest.DataFile
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
  * @param filter the wanted rows are left out for which it is not true
  * @param sample the wanted rows are left out that it does not draw
  * @param window which of the wanted rows are left; all of them when there is a filter or a sample
  * @param taskLimit rows after which a task may stop; none: it reads all of its rows
  * @param top a task answers no more rows than these, the first in an order
  * @param isDistinct a task need not answer a value twice; of one column
  */
final private[scan] case class ScanPlan(
    table: LanceTable,
    store: FileStore,
    fields: IndexedSeq[Field],
    metadata: IndexedSeq[MetadataColumn],
    condition: Option[RowCondition],
    filter: Option[RowFilter],
    sample: Option[RowSample],
    window: RowWindow,
    taskLimit: Option[Long],
    top: Option[TopRows],
    isDistinct: Boolean,
    options: ReadOptions
) {

  /** The columns Spark gets. */
  lazy val schema: StructType =
    StructType(SparkTypes.structType(fields, options.types).fields ++
      metadata.map(MetadataFields.structField))

  /** Whether rows are cut by number or drawn, so that conditions cannot come before. */
  def isCut: Boolean =
    window != RowWindow.all || taskLimit.isDefined || top.isDefined || sample.isDefined

  /** Whether [[isDistinct]] would save anything, and does not already. */
  def takesDistinct: Boolean = !isDistinct && options.pushDistinct && taskLimit.isEmpty &&
    top.isEmpty && metadata.isEmpty && fields.length == 1 &&
    DistinctRows.takes(schema.head.dataType)

  /** How rows are cut, for people. */
  def shape: Seq[String] =
    sample.map(s => s"sample of ${s.lower} until ${s.upper} seed ${s.seed}").toSeq ++
      Optional.when(window != RowWindow.all)(window.toString) ++
      taskLimit.map(n => s"limit $n in each task") ++
      top.map(t => s"${t.sql} limit ${t.limit} in each task") ++
      Optional.when(isDistinct)("distinct values")

  /** What every task does. */
  def read: ReadTask =
    ReadTask(
      store,
      fields,
      metadata,
      filter,
      sample,
      taskLimit,
      top,
      isDistinct,
      options,
      table.path
    )

  /** What indices know of the filter; none when they know nothing. */
  lazy val indexed: Option[IndexedRows] = filter.flatMap(IndexedRows(table, _, options))

  private lazy val physicalRows: IndexedSeq[Long] =
    table.fragments.map(FragmentScan.physicalRows(table, _))

  private lazy val fragmentBytes: IndexedSeq[Long] =
    projectedBytes(id => if (wantedIds(id)) 1.0 else 0.0)

  /** Leaves whose blobs are read, rather than where they are or how long. */
  private lazy val contentIds: Set[Int] =
    (fields ++ filter.fold(IndexedSeq.empty[Field])(_.fields))
      .flatMap(_.leaves)
      .filter(l => l.isBlob && BlobField.mode(l) == BlobMode.Content)
      .map(_.id)
      .toSet

  /** Leaves of blobs: beside the descriptors in their pages there are bytes outside of pages. */
  private lazy val blobIds: Set[Int] =
    table.schema.fields.flatMap(_.leaves).filter(_.isBlob).map(_.id).toSet

  /** Bytes of blobs in side files of each fragment, if they are read. */
  private lazy val blobFileBytes: IndexedSeq[Long] =
    if (contentIds.isEmpty) table.fragments.map(_ => 0L) else table.blobBytes(isExact = false)

  /** What tasks read of each fragment, about: most of the columns for the rows alone that the filter leaves. */
  private lazy val taskBytes: IndexedSeq[Long] = filter.fold(fragmentBytes) { f =>
    val share = f.guessedShare
    projectedBytes(id => if (filteredIds(id)) 1.0 else if (wantedIds(id)) share else 0.0)
  }

  /** Rows of the table that are not deleted, as far as the manifest tells. */
  private def tableRows: Long =
    if (options.includesDeleted) physicalRows.sum
    else table.rowCount.getOrElse(physicalRows.sum)

  /** Rows of the answer, as far as that can be told without a look at them. */
  def numRows: Long = {
    val wanted = condition.fold(tableRows)(_.maxRows(tableRows))
    window.numRows(sample.fold(wanted)(s => math.ceil(wanted * s.fraction).toLong))
  }

  /** Bytes that Spark expects of the answer in memory, to choose joins by: its rows by the usual sizes of their values,
    * or more where the files have more, as those of long values. Bytes in files alone would have Spark broadcast
    * millions of rows that are stored in few bytes. See `docs/decisions/0009`.
    */
  lazy val numBytes: Long =
    if (tableRows == 0) 0L
    else {
      val stored = fragmentBytes.sum.toDouble * numRows / tableRows
      math.max(stored, numRows.toDouble * schema.defaultSize).toLong
    }

  /** What each task reads. Fragments without a wanted row are not in it. */
  def tasks: IndexedSeq[IndexedSeq[FragmentScan]] = {
    val skipping = filter.map(new FragmentSkipping(_, table, options.includesDeleted))
    def isKept(fragment: Int): Boolean = skipping.forall(_.mayMatch(fragment))
    (condition, indexed) match {
      case (rows, known) if rows.isDefined || known.isDefined =>
        val wanted = rows.getOrElse(RowCondition.EveryRow).select(table)
        val found = wanted.zipWithIndex.map { case (selected, i) =>
          if (selected.isEmpty || !isKept(i)) RowSelection.empty
          else known.flatMap(_.rows(i)).fold(selected)(selected.intersect)
        }
        selected(
          if (window == RowWindow.all) found else LiveRowWindow.within(table, found, window.ranks)
        )
      case _ if window == RowWindow.all =>
        ranged(physicalRows.indices.map(i => RowRange(0, if (isKept(i)) physicalRows(i) else 0L)))
      case _ => ranged(LiveRowWindow(table, window.ranks))
    }
  }

  private def ranged(rows: IndexedSeq[RowRange]): IndexedSeq[IndexedSeq[FragmentScan]] = {
    val bytes = rows.indices.map(i => share(i, rows(i).numRows))
    SplitPlanner.plan(rows, bytes, options, rowAlignment).map(_.map { split =>
      val isWhole = filter.isEmpty && sample.isEmpty && top.isEmpty
      val gap = if (isWhole) FragmentScan.defaultGapRows else gapRows(split.fragment)
      scan(split, None, gap)
    })
  }

  private def selected(wanted: IndexedSeq[RowSelection]): IndexedSeq[IndexedSeq[FragmentScan]] = {
    val rows = wanted.map { w =>
      if (w.isEmpty) RowRange(0, 0) else RowRange(w.ranges.head.from, w.ranges.last.until)
    }
    val bytes = wanted.indices.map(i => share(i, wanted(i).numRows))
    SplitPlanner
      .plan(rows, bytes, options, rowAlignment)
      .map(_.flatMap { split =>
        val inSplit = wanted(split.fragment).within(split.rows)
        if (inSplit.isEmpty) None else Some(scan(split, Some(inSplit), gapRows(split.fragment)))
      })
      .filter(_.nonEmpty)
  }

  /** Fragments are cut between batches; where rows have blobs, between fewer rows, of a sixteenth of a task. */
  private def rowAlignment: Int =
    if (contentIds.isEmpty) options.batchRows
    else {
      val rowBytes = math.max(1L, taskBytes.sum / math.max(1L, physicalRows.sum))
      math.max(1L, math.min(options.batchRows.toLong, options.maxSplitBytes / 16 / rowBytes)).toInt
    }

  private def scan(split: Split, wanted: Option[RowSelection], gapRows: Long): FragmentScan =
    FragmentScan(table, split.fragment, split.rows, wanted, gapRows, allMetadata)
      .copy(includesDeleted = options.includesDeleted)
      .allowing(options.blobUris)

  /** Rows between wanted ones cost less to decode than to skip while they are few and small. */
  private def gapRows(fragment: Int): Long = {
    val rowBytes = fragmentBytes(fragment) / math.max(1L, physicalRows(fragment))
    math.min(FragmentScan.defaultGapRows, ScanPlan.gapBytes / math.max(1L, rowBytes))
  }

  private def share(fragment: Int, rows: Long): Long =
    (taskBytes(fragment).toDouble * rows / math.max(1L, physicalRows(fragment))).toLong

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

  private def allMetadata: IndexedSeq[MetadataColumn] =
    metadata ++ filter.fold(IndexedSeq.empty[MetadataColumn])(_.metadata) ++
      top.fold(IndexedSeq.empty[MetadataColumn])(_.metadata)

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
      blobs.iterator.map(id => rows * ScanPlan.blobBytes * share(id)).sum
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

private[scan] object ScanPlan {

  /** What a blob counts beside a string, of what other columns leave of a file. */
  private val blobBytes = 4096.0

  /** Wanted rows with fewer bytes between them are read in one go. */
  private val gapBytes = 4096L
}
