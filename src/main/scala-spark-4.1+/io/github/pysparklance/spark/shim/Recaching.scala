// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.core.BestEffort

/** Hides `CacheManager.recacheTableOrView`, which Spark has since 4.1. It plans the cached plans of
  * a table by name.
  */
private[shim] object Recaching {

  /** Plans cached plans again.
    *
    * @param plans all cached plans
    * @param stale matches relations that differ from the current version of their table
    */
  def apply(
      session: SparkSession,
      plans: Seq[LogicalPlan],
      stale: PartialFunction[LogicalPlan, DataSourceV2Relation]
  ): Unit = {
    val classic = Classic.session(session)
    val cache = classic.sharedState.cacheManager
    // All plans with a name are planned together. Otherwise Spark would use the other stale cached
    // plans.
    plans.flatMap(_.collectWithSubqueries(stale)).flatMap(name).distinct
      .foreach(n => dropped(cache.recacheTableOrView(classic, n, includeTimeTravel = false)))
    // By name, Spark does not find tables in subqueries.
    plans
      .filter(p => p.collectWithSubqueries(stale).length > p.collect(stale).length)
      .foreach(p => dropped(cache.recacheByPlan(classic, p)))
  }

  /** Plans that fail, such as reads of a dropped branch, were already removed from the cache. */
  private def dropped(again: => Unit): Unit =
    BestEffort.run("planning cached tables again")(again): Unit

  private def name(relation: DataSourceV2Relation): Option[Seq[String]] =
    for (catalog <- relation.catalog; ident <- relation.identifier)
      yield catalog.name +: ident.namespace.toIndexedSeq :+ ident.name
}
