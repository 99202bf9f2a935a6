// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{SortOrder => RowOrder}
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{
  Scan,
  ScanBuilder,
  SupportsPushDownAggregates,
  SupportsPushDownLimit,
  SupportsPushDownOffset,
  SupportsPushDownRequiredColumns,
  SupportsPushDownTableSample,
  SupportsPushDownTopN,
  SupportsPushDownV2Filters
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, OptionUse, TableLocation}
import io.github.pysparklance.spark.filter.FieldPaths
import io.github.pysparklance.spark.scan.push.{Projection, PushedAggregates, PushedFilters}
import io.github.pysparklance.spark.scan.task.{ReadOptions, ReadTask, RowSample, TopRows}
import io.github.pysparklance.spark.types.{MetadataFields, TypeOptions}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.MetadataColumn

/** Accepts push-downs: required columns at any depth, samples, conditions on metadata columns and
  * values, aggregates, distinct values, limit, offset, and top-n. Spark pushes down in the order
  * sample, filters, aggregates, limit or top-n, offset, columns.
  */
final class LanceScanBuilder(
    table: LanceTable,
    store: FileStore,
    options: ReadOptions,
    streams: ScanStreams = ScanStreams.None
) extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters
    with SupportsPushDownTableSample
    with SupportsPushDownLimit
    with SupportsPushDownTopN
    with SupportsPushDownOffset
    with SupportsPushDownAggregates {
  import AggregatePushDown._

  private val tableFields = options.types.fields(table.schema)
  private var fields = tableFields
  private var metadata = IndexedSeq.empty[MetadataColumn]
  private val filters = new PushedFilters(table, tableFields, options)
  private var sample = Option.empty[RowSample]
  private var window = RowWindow.all
  private var taskLimit = Option.empty[Long]
  private var top = Option.empty[TopRows]
  private val aggregation = new AggregatePushDown(table, tableFields, filters, options)

  override def pruneColumns(required: StructType): Unit = LanceErrors.translated {
    val (stored, made) = required.fields.partition(f => table.schema.field(f.name).isDefined)
    if (made.exists(_.name == MetadataFields.score)) failWithoutScore()
    fields = Projection(tableFields, StructType(stored), isEverywhere)
    metadata = made.toIndexedSeq.flatMap(f => MetadataColumn.byName(f.name))
  }

  private def failWithoutScore(): Nothing = throw new InvalidRequestException(
    MetadataFields.noScore,
    Place(path = Some(table.path), version = Some(table.version))
  )

  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] =
    filters.push(predicates)

  override def pushedPredicates(): Array[Predicate] = filters.predicates.toArray

  /** Only accepts small fractions, for which a large part of the pages can be skipped. */
  override def pushTableSample(
      lowerBound: Double,
      upperBound: Double,
      withReplacement: Boolean,
      seed: Long
  ): Boolean = {
    val taken = !withReplacement && upperBound - lowerBound <= RowSample.maxFraction
    if (taken) sample = Some(RowSample(lowerBound, upperBound, seed))
    taken
  }

  /** Accepts the limit completely if rows can be selected before reading. Otherwise each task stops
    * after this number of rows.
    */
  override def pushLimit(limit: Int): Boolean = {
    if (canCut) window = window.limit(limit.toLong)
    else if (!isAggregated) taskLimit = Some(limit.toLong)
    !isAggregated
  }

  override def isPartiallyPushed: Boolean = taskLimit.isDefined || top.isDefined

  override def pushTopN(orders: Array[SortOrder], limit: Int): Boolean = {
    if (options.pushTopRows && !isAggregated && limit <= TopRows.maxLimit) {
      val translated = orders.toSeq.map(filters.translation.order)
      if (translated.forall(_.isDefined)) top = Some(topRows(translated.flatten, limit))
    }
    top.isDefined
  }

  private def topRows(order: Seq[RowOrder], limit: Int): TopRows =
    TopRows(tableFields, filters.translation.columns, order, limit, options.types)

  override def pushOffset(offset: Int): Boolean = {
    val taken = canCut
    if (taken) window = window.offset(offset.toLong)
    taken
  }

  private def isAggregated: Boolean = !aggregation.isEmpty

  /** Whether rows can be selected by rank before reading. */
  private def canCut: Boolean =
    filters.expressions.isEmpty && sample.isEmpty && !options.includesDeleted && !isAggregated &&
      table.fragments.forall(_.physicalRows.isDefined)

  override def supportCompletePushDown(aggregation: Aggregation): Boolean =
    this.aggregation.isComplete(aggregation, sample.isDefined)

  override def pushAggregation(aggregation: Aggregation): Boolean =
    this.aggregation.push(aggregation, sample.isDefined)

  override def build(): Scan = LanceErrors.translated {
    if (isAggregated) streams.checkBatch()
    aggregation.accepted match {
      case ByIndex(scan) => scan
      case Counts(columns, rows) => new LanceCountScan(table.path, table.version, columns, rows)
      case Partial(aggregates) =>
        fields = PushedAggregates.fields(tableFields, aggregates, isEverywhere)
        metadata = aggregates.flatMap(_.column.map(_.head)).distinct
          .filterNot(name => fields.exists(_.name == name))
          .flatMap(MetadataColumn.byName)
        new LanceAggregateScan(plan(isDistinct = false), aggregates)
      case Distinct(column) =>
        fields = FieldPaths.cut(tableFields, Seq(column))
        rows(plan(isDistinct = true))
      case NoAggregation => rows(plan(isDistinct = false))
    }
  }

  private def rows(plan: ScanPlan): Scan = {
    plan.schema: Unit // rejects unsupported columns now
    val runtimeFilters = new RuntimeFilters(tableFields, filters.translation, filters.expressions)
    new LanceScan(plan, runtimeFilters, streams)
  }

  private def isEverywhere(leaf: Int): Boolean =
    table.fragments.forall(_.files.exists(_.columnOf(leaf).isDefined))

  private def plan(isDistinct: Boolean): ScanPlan = {
    val read =
      ReadTask(fields, metadata, filters.filter, sample, taskLimit, top, isDistinct, options)
    ScanPlan(table, store, filters.condition, window, read)
  }
}

/** Creates scan builders. */
private[spark] object LanceScanBuilder {

  /** Returns the builder for a read of a version, with options and their defaults.
    *
    * @param types type options with which the table was loaded
    * @param streams makes streams of the table
    */
  def apply(
      location: TableLocation,
      table: LanceTable,
      options: CaseInsensitiveStringMap,
      types: TypeOptions,
      streams: ScanStreams = ScanStreams.None
  ): LanceScanBuilder = {
    def parallelism = SparkSession.active.sparkContext.defaultParallelism
    val set = LanceOptions(OptionUse.Read, options, table.manifest.config, location.options)
    searches.find(o => set.text(o._1).isDefined).foreach { case (option, function) =>
      throw new InvalidRequestException(
        s"option $option is for reads by path, whose columns it changes: use $function for tables by name"
      )
    }
    val read = ReadOptions(set, SQLConf.get, types, parallelism)
    new LanceScanBuilder(table, location.taskStore(Some(table)), read, streams)
  }

  /** Options that turn a read by path into a search, and the table functions for the others. */
  private val searches: Seq[(String, String)] = Seq(
    "nearest" -> "vector_search(table, query_vector, ...)",
    "fullTextQuery" -> "search(table, query, ...)"
  )
}
