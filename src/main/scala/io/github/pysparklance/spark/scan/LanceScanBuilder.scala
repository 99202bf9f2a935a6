// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.connector.expressions.aggregate.{Aggregation, CountStar}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{
  Scan,
  ScanBuilder,
  SupportsPushDownAggregates,
  SupportsPushDownLimit,
  SupportsPushDownOffset,
  SupportsPushDownRequiredColumns,
  SupportsPushDownV2Filters
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.{LanceTable, MetadataColumn, RowCondition}

/** Takes what Spark pushes down: the columns it needs, at any depth, conditions on metadata columns, limit and offset,
  * and a count of all rows. Spark asks in the order filters, aggregates, limit, offset, columns.
  */
final class LanceScanBuilder(table: LanceTable, store: FileStore, options: ReadOptions)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters
    with SupportsPushDownLimit
    with SupportsPushDownOffset
    with SupportsPushDownAggregates {

  private val tableFields = options.types.fields(table.schema)
  private var fields = tableFields
  private var metadata = IndexedSeq.empty[MetadataColumn]
  private var pushed = Seq.empty[(Predicate, RowCondition)]
  private var window = RowWindow.all
  private var counts = Option.empty[(Int, Long)]

  override def pruneColumns(required: StructType): Unit = {
    val (stored, made) = required.fields.partition(f => table.schema.field(f.name).isDefined)
    fields = Projection(tableFields, StructType(stored))
    metadata = made.toIndexedSeq.flatMap(f => MetadataColumn.byName(f.name))
  }

  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
    val conditions = new PushedConditions(table.schema)
    val translated = predicates.map(p => p -> conditions(p))
    pushed ++= translated.collect { case (p, Some(condition)) => p -> condition }
    translated.collect { case (p, None) => p }
  }

  override def pushedPredicates(): Array[Predicate] = pushed.map(_._1).toArray

  /** Taken whole: the rows are cut before they are read. */
  override def pushLimit(limit: Int): Boolean = {
    val taken = canCut
    if (taken) window = window.limit(limit.toLong)
    taken
  }

  override def isPartiallyPushed: Boolean = false

  override def pushOffset(offset: Int): Boolean = {
    val taken = canCut
    if (taken) window = window.offset(offset.toLong)
    taken
  }

  private def canCut: Boolean =
    counts.isEmpty && pushed.isEmpty && table.fragments.forall(_.physicalRows.isDefined)

  /** Only counts of all rows without groups, which the manifest answers exactly. */
  override def supportCompletePushDown(aggregation: Aggregation): Boolean = {
    val expressions = aggregation.aggregateExpressions()
    aggregation.groupByExpressions().isEmpty && expressions.nonEmpty && pushed.isEmpty &&
    expressions.forall(_.isInstanceOf[CountStar]) && table.rowCount.isDefined
  }

  override def pushAggregation(aggregation: Aggregation): Boolean = {
    val taken = supportCompletePushDown(aggregation)
    if (taken) counts = table.rowCount.map((aggregation.aggregateExpressions().length, _))
    taken
  }

  override def build(): Scan = LanceErrors.translated {
    counts match {
      case Some((columns, rows)) => new LanceCountScan(table.path, table.version, columns, rows)
      case None =>
        val condition = pushed.map(_._2).reduceOption(RowCondition.And(_, _))
        val plan = ScanPlan(table, store, fields, metadata, condition, window, options)
        plan.schema: Unit // columns that cannot be read fail now, and not in Spark's hands
        new LanceScan(plan)
    }
  }
}
