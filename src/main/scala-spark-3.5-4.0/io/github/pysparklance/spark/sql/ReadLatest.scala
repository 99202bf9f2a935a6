// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  CacheTable,
  Command,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  UncacheTable
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.metadata.MetadataTable
import io.github.pysparklance.spark.shim.{LatestReads, LatestTables}

/** Reloads the tables of a query between its analysis and its execution, so that the whole query
  * reads one version of each table. This is the latest version, also in views and data frames that
  * were analyzed before a write. Spark does so since 4.1. A table whose columns changed stays at
  * the analyzed version.
  *
  * Spark looks up cached plans after this rule.
  */
private[sql] object ReadLatest extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case _ if LatestReads.isSuspended => plan
    // Before 4.0, Spark caches and finds these plans without the normalization rules for queries.
    case c: CacheTable => c.copy(table = latest(c.table))
    case u: UncacheTable => u.copy(table = latest(u.table))
    // Other commands change the version for which they were analyzed.
    case _: AppendData | _: OverwriteByExpression | _: OverwritePartitionsDynamic => latest(plan)
    case _: Command => plan
    case _ => latest(plan)
  }

  private def latest(plan: LogicalPlan): LogicalPlan = {
    val tables = new LatestTables
    // A dropped table stays in the plan, so that reading it fails.
    def again(r: DataSourceV2Relation): Option[Table] =
      if (isMoving(r.table)) tables.again(r) else None
    // In two steps, because a transformation skips nodes that are equal to their result.
    val read = plan.transformWithSubqueries {
      case r: DataSourceV2Relation => again(r).fold(r)(t => r.copy(table = t))
    }
    read.transformWithSubqueries {
      case r: DataSourceV2Relation =>
        again(r).filter(_ == r.table).fold(r)(t => r.copy(table = asLatest(t)))
    }
  }

  private def isMoving(table: Table): Boolean = table match {
    case t: LanceSparkTable => !t.pinned && t.evolution.isEmpty
    case t: MetadataTable => !t.pinned
    case _ => false
  }

  private def asLatest(table: Table): Table = table match {
    case t: LanceSparkTable => t.asLatest
    case other => other
  }
}
