// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{
  Scan,
  ScanBuilder,
  SupportsPushDownLimit,
  SupportsPushDownRequiredColumns,
  SupportsPushDownV2Filters
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{Field, NotFoundException}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.ScanStreams
import io.github.pysparklance.spark.scan.push.Projection
import io.github.pysparklance.spark.scan.task.{ReadOptions, ReadTask}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.changes.Changes
import io.github.pysparklance.table.scan.{ChangeColumn, ComputedColumn}

/** Takes the columns and conditions of a query on changes.
  *
  * @param load returns the changes
  * @param tableFields the columns in the types of the read
  * @param request the changes, for comparisons of scans
  * @param streams makes streams of the table
  */
final private[changes] class ChangeScanBuilder(
    load: () => Changes,
    tableFields: IndexedSeq[Field],
    store: FileStore,
    options: ReadOptions,
    request: ChangeRequest,
    streams: ScanStreams
) extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters
    with SupportsPushDownLimit {
  private lazy val changes: Either[NotFoundException, Changes] =
    try Right(load())
    catch { case e: NotFoundException => Left(e) }
  private val filters = new ChangeFilters(tableFields, options)
  private var fields = tableFields
  private var computed: IndexedSeq[ComputedColumn] = ChangeColumn.all
  private var limit = Option.empty[Long]

  override def pruneColumns(required: StructType): Unit = LanceErrors.translated {
    val (stored, made) = required.fields.partition(f => tableFields.exists(_.name == f.name))
    fields = Projection(tableFields, StructType(stored), isEverywhere)
    computed = made.toIndexedSeq.flatMap(f => ComputedColumn.byName(f.name))
  }

  private def isEverywhere(leaf: Int): Boolean = changes.exists(
    _.parts.forall(_.fragment.files.exists(_.columnOf(leaf).isDefined))
  )

  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] =
    filters.push(predicates)

  override def pushedPredicates(): Array[Predicate] = filters.predicates.toArray

  /** Stops each task after `limit` rows. */
  override def pushLimit(limit: Int): Boolean = {
    this.limit = Some(limit.toLong)
    true
  }

  override def isPartiallyPushed: Boolean = limit.isDefined

  override def build(): Scan = LanceErrors.translated {
    val filter = filters.rowFilter
    val read = ReadTask(fields, computed, filter, None, limit, None, isDistinct = false, options)
    val scan = changes match {
      case Right(all) =>
        val selected = all.filter(filters.keeps)
        selected.checkReadable(fields ++ filter.fold(IndexedSeq.empty[Field])(_.fields))
        new ChangeScan(selected, store, read, request, filters.selecting, streams)
      case Left(e) => new LostChangesScan(read, streams, e)
    }
    scan.readSchema(): Unit // columns that cannot be read fail now, and not in Spark's hands
    scan
  }
}
