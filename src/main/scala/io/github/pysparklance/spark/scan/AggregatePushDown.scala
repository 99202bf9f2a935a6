// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.collection.mutable

import org.apache.spark.sql.connector.expressions.aggregate.{Aggregation, CountStar}

import io.github.pysparklance.core.Field
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.filter.FieldPaths
import io.github.pysparklance.spark.scan.push.{PushedAggregate, PushedAggregates, PushedFilters}
import io.github.pysparklance.spark.scan.task.ReadOptions
import io.github.pysparklance.table.LanceTable

/** The aggregation of a scan: row counts of the manifest, aggregates that indices contain, partial
  * aggregates, or distinct values.
  */
final private[scan] class AggregatePushDown(
    table: LanceTable,
    fields: IndexedSeq[Field],
    filters: PushedFilters,
    options: ReadOptions
) {
  import AggregatePushDown._

  private var pushed: Pushed = NoAggregation
  private val byIndex = mutable.HashMap.empty[Seq[String], Option[LanceIndexScan]]

  /** The accepted push-downs. */
  def accepted: Pushed = pushed

  def isEmpty: Boolean = pushed == NoAggregation

  /** Returns whether the scan returns the final values: counts of all rows without groups, which
    * the manifest has, and aggregates that indices have.
    *
    * @param isSampled whether the scan returns a sample of the rows
    */
  def isComplete(aggregation: Aggregation, isSampled: Boolean): Boolean =
    complete(aggregation, isSampled).isDefined

  /** Accepts an aggregation if the scan can evaluate it, at least partially. */
  def push(aggregation: Aggregation, isSampled: Boolean): Boolean = {
    pushed = complete(aggregation, isSampled).orElse(partial(aggregation)).getOrElse(NoAggregation)
    !isEmpty
  }

  private def complete(aggregation: Aggregation, isSampled: Boolean): Option[Pushed] =
    if (isSampled) None
    else counts(aggregation).orElse(ofIndices(aggregation).map(ByIndex))

  private def counts(aggregation: Aggregation): Option[Pushed] = {
    val expressions = aggregation.aggregateExpressions()
    val countsAll = aggregation.groupByExpressions().isEmpty && expressions.nonEmpty &&
      filters.predicates.isEmpty && !options.includesDeleted &&
      expressions.forall(_.isInstanceOf[CountStar])
    if (countsAll) table.rowCount.map(Counts(expressions.length, _)) else None
  }

  /** Caches the result, because Spark calls this several times. */
  private def ofIndices(aggregation: Aggregation): Option[LanceIndexScan] =
    byIndex.getOrElseUpdate(
      aggregation.groupByExpressions().toSeq.map(_.toString) ++
        aggregation.aggregateExpressions().map(_.toString), {
        val aggregates = new IndexedAggregates(table, fields, filters, options)
        LanceErrors.translated(aggregates(aggregation))
      }
    )

  private def partial(aggregation: Aggregation): Option[Pushed] =
    if (!options.pushAggregates) None
    else {
      val pushed = new PushedAggregates(filters.typeOf)
      pushed(aggregation).filter(_.nonEmpty).map(Partial).orElse(
        pushed.distinct(aggregation).filter(FieldPaths.find(fields, _).isDefined).map(Distinct)
      )
    }
}

private[scan] object AggregatePushDown {

  /** An accepted aggregation. */
  sealed trait Pushed

  case object NoAggregation extends Pushed

  /** The row count of the manifest, once for each column. */
  final case class Counts(columns: Int, rows: Long) extends Pushed

  /** Final values, computed from indices on the driver. */
  final case class ByIndex(scan: LanceIndexScan) extends Pushed

  /** Aggregates of each task, which Spark merges. */
  final case class Partial(aggregates: IndexedSeq[PushedAggregate]) extends Pushed

  /** Distinct values of a column, at least once each. */
  final case class Distinct(column: Seq[String]) extends Pushed
}
