// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import scala.collection.mutable

import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
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
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, Table, TableCatalog}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.metadata.MetadataTable
import io.github.pysparklance.spark.shim.LatestReads

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
    val loaded = mutable.Map.empty[(String, Identifier), Option[Table]]
    def again(r: DataSourceV2Relation): Option[Table] =
      for {
        catalog <- r.catalog if isLoadedAgain(r.table)
        ident <- r.identifier
        table <- loaded.getOrElseUpdate((catalog.name, ident), load(catalog, ident))
        if hasColumns(table, r.table)
      } yield table
    // In two steps, because a transformation skips nodes that are equal to their result.
    val read = plan.transformWithSubqueries {
      case r: DataSourceV2Relation => again(r).fold(r)(t => r.copy(table = t))
    }
    read.transformWithSubqueries {
      case r: DataSourceV2Relation =>
        again(r).filter(_ == r.table).fold(r)(t => r.copy(table = asLatest(t)))
    }
  }

  private def isLoadedAgain(table: Table): Boolean = table match {
    case t: LanceSparkTable => t.isLoadedAgain && !t.pinned && t.evolution.isEmpty
    case t: MetadataTable => t.isLoadedAgain && !t.pinned
    case _ => false
  }

  /** Returns `None` for a dropped table, so that reading it fails. */
  private def load(catalog: CatalogPlugin, ident: Identifier): Option[Table] = catalog match {
    case tables: TableCatalog =>
      try Some(LatestReads.suspend(tables.loadTable(ident)))
      catch { case _: NoSuchTableException => None }
    case _ => None
  }

  private def hasColumns(table: Table, before: Table): Boolean = {
    def columns(t: Table) = t.columns().map(c => (c.name, c.dataType, c.nullable)).toSet
    table.getClass == before.getClass && columns(before).subsetOf(columns(table))
  }

  private def asLatest(table: Table): Table = table match {
    case t: LanceSparkTable => t.asLatest
    case other => other
  }
}
