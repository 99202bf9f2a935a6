// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.IndexCondition
import io.github.pysparklance.spark.filter.{IndexTranslation, RowFilter}
import io.github.pysparklance.spark.scan.distinct.DistinctRows
import io.github.pysparklance.spark.scan.task.ReadTask
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.{FragmentScan, RowCondition}

/** A scan of a version of a table. Immutable. Its stages, in order:
  * {{{
  *   driver    prune    fragments by what the manifest knows        TaskPlanner, FragmentSkipping
  *             select   rows by id, address, rank, or index         TaskPlanner, RowCondition
  *   task      select   rows of a sample; prune pages               TaskRows, RowSample, PageSkipping
  *             filter   rows by the values of columns               FilteredReader, RowPredicate
  *             project  fields                                      FragmentReader
  *             append   computed columns                            AppendedColumns, ComputedColumn
  * }}}
  * An index, a search, or a change feed adds a [[RowCondition]] or a computed column. The other
  * stages do not change.
  *
  * @param store the storage that tasks read from
  * @param condition selects rows without reading their values; `None` selects all
  * @param window selects rows by rank among the rows of `condition`; all rows if the task filters
  *   or samples
  * @param read the work of each task on the selected rows
  * @param above index condition of a filter that Spark evaluates on the rows of the scan. Only rows
  *   for which it may be true are needed. `Unknown` needs all rows
  */
final private[scan] case class ScanPlan(
    table: LanceTable,
    store: FileStore,
    condition: Option[RowCondition],
    window: RowWindow,
    read: ReadTask,
    above: IndexCondition = IndexCondition.Unknown
) {

  /** The schema of the returned rows. */
  def schema: StructType = read.schema

  /** Whether the scan has a limit, an offset, a sort, or a sample, so that no conditions can be
    * added.
    */
  def isCut: Boolean =
    window != RowWindow.all || read.limit.isDefined || read.top.isDefined || read.sample.isDefined

  /** Returns a copy of this scan that drops duplicates in a task, or `None` if that would not pay
    * off.
    */
  def distinct: Option[ScanPlan] = Optional.when(
    !read.isDistinct && read.options.pushDistinct && read.limit.isEmpty && read.top.isEmpty &&
      read.computed.isEmpty && read.fields.length == 1 && DistinctRows.takes(schema.head.dataType)
  )(copy(read = read.copy(isDistinct = true)))

  /** The rows that indices select for the filter; `None` if no index applies. */
  lazy val indexed: Option[IndexedRows] =
    if (read.top.isDefined && read.filter.isEmpty && condition.isEmpty && read.sample.isEmpty)
      read.top.flatMap(IndexedTop(table, _, read.options))
    else indexedBy(read.filter, searchesAll = !read.options.fastSearch)

  /** Returns the rows that indices select for a filter and for `above`, or `None` if no index
    * applies.
    *
    * @param searchesAll whether to read fragments that the indices do not cover
    */
  def indexedBy(filter: Option[RowFilter], searchesAll: Boolean): Option[IndexedRows] = {
    val known = filter.fold(IndexCondition.Unknown: IndexCondition) { f =>
      new IndexTranslation(f.fields, read.options.types)(f.expression)
    }
    IndexedRows(table, IndexCondition.And(known, above), read.options, searchesAll)
  }

  /** Returns this scan for a filter that Spark evaluates on its rows, or `None` if no additional
    * index applies.
    *
    * @param filter condition over the columns of this scan, bound by position
    */
  def below(filter: Expression): Option[ScanPlan] =
    if (isCut || table.indices.forall(_.isSystem)) None
    else {
      val known = IndexCondition.whereTrue(
        new IndexTranslation(read.fields, read.options.types)(filter)
      )
      val indexedFields = table.indices.filterNot(_.isSystem).flatMap(_.fields).toSet
      Optional.when(known != above && IndexCondition.fieldIds(known).exists(indexedFields))(
        copy(above = known)
      )
    }

  /** Sizes of the scan in rows and bytes. */
  lazy val estimate: ScanEstimate = new ScanEstimate(this)

  /** The rows of each task. Fragments without a selected row are skipped. */
  def tasks: IndexedSeq[IndexedSeq[FragmentScan]] = new TaskPlanner(this).tasks

  /** Scans with equal identity read the same rows and columns. Tables with the same path and
    * version can differ in their storage, or because one was recreated. The name of the transaction
    * file is unique.
    */
  def identity: ScanPlan.Identity = ScanPlan.Identity(
    table.path,
    table.version,
    table.manifest.transactionFile,
    condition,
    window,
    read,
    above
  )

  /** The conditions on rows as SQL. */
  def conditions: Seq[String] = condition.map(_.toString).toSeq ++ read.filter.map(_.sql)

  /** Limits, samples, and deduplication, for `EXPLAIN`. */
  def shape: Seq[String] =
    read.sample.map(s => s"sample of ${s.lower} until ${s.upper} seed ${s.seed}").toSeq ++
      Optional.when(window != RowWindow.all)(window.toString) ++
      read.limit.map(n => s"limit $n in each task") ++
      read.top.map(t => s"${t.sql} limit ${t.limit} in each task") ++
      Optional.when(read.isDistinct)("distinct values")
}

/** The identity of scans. */
private[scan] object ScanPlan {

  /** The properties by which scans are compared. */
  final case class Identity(
      path: String,
      version: Long,
      transaction: Option[String],
      condition: Option[RowCondition],
      window: RowWindow,
      read: ReadTask,
      above: IndexCondition
  )
}
