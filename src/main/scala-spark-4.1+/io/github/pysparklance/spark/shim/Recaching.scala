// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.core.BestEffort

/** Hides `CacheManager.recacheTableOrView`, which Spark has since 4.1: it plans by name what is cached of a table. */
private[shim] object Recaching {

  /** Plans again what is cached.
    *
    * @param plans all that are cached
    * @param stale finds their relations that are not what their tables are now
    */
  def apply(
      session: SparkSession,
      plans: Seq[LogicalPlan],
      stale: PartialFunction[LogicalPlan, DataSourceV2Relation]
  ): Unit = {
    val classic = Classic.session(session)
    val cache = classic.sharedState.cacheManager
    // All plans of a name at once: Spark would plan one by what is still cached of the other.
    plans.flatMap(_.collectWithSubqueries(stale)).flatMap(name).distinct
      .foreach(n => dropped(cache.recacheTableOrView(classic, n, includeTimeTravel = false)))
    // By name, Spark finds no tables in subqueries.
    plans
      .filter(p => p.collectWithSubqueries(stale).length > p.collect(stale).length)
      .foreach(p => dropped(cache.recacheByPlan(classic, p)))
  }

  /** Plans that cannot be made any more, as of a branch that is gone, have left the cache by then. */
  private def dropped(again: => Unit): Unit =
    BestEffort.run("planning cached tables again")(again): Unit

  private def name(relation: DataSourceV2Relation): Option[Seq[String]] =
    for (catalog <- relation.catalog; ident <- relation.identifier)
      yield catalog.name +: ident.namespace.toIndexedSeq :+ ident.name
}
