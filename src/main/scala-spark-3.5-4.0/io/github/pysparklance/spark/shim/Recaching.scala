// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.core.Afterwards

/** Hides `CacheManager.recacheTableOrView`, which Spark has since 4.1. Here, a plan keeps the version of a table that it
  * was analysed with: a query of a later version does not take what is cached of this one.
  */
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
    plans.filter(_.collectWithSubqueries(stale).nonEmpty).foreach { plan =>
      Afterwards.quietly("planning cached tables again")(cache.recacheByPlan(classic, plan))
    }
  }
}
