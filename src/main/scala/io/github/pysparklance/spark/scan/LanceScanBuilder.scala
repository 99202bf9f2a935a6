// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.connector.expressions.aggregate.{Aggregation, CountStar}
import org.apache.spark.sql.connector.read.{
  Scan,
  ScanBuilder,
  SupportsPushDownAggregates,
  SupportsPushDownRequiredColumns
}
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable

/** Takes what Spark pushes down: the columns it needs, at any depth, and a count of all rows. */
final class LanceScanBuilder(table: LanceTable, store: FileStore, options: ReadOptions)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns
    with SupportsPushDownAggregates {

  private var fields = table.schema.fields
  private var counts = Option.empty[(Int, Long)]

  override def pruneColumns(required: StructType): Unit =
    fields = Projection(table.schema.fields, required)

  /** Only counts of all rows without groups, which the manifest answers exactly. */
  override def supportCompletePushDown(aggregation: Aggregation): Boolean = {
    val expressions = aggregation.aggregateExpressions()
    aggregation.groupByExpressions().isEmpty && expressions.nonEmpty &&
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
      case None => new LanceScan(ScanPlan(table, store, fields, options))
    }
  }
}
