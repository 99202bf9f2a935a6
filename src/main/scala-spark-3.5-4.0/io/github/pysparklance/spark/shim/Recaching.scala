// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.core.BestEffort

/** Hides `CacheManager.recacheTableOrView`, which Spark has since 4.1. Here, the cached plans are
  * planned again one by one, and [[io.github.pysparklance.spark.sql.ReadLatest]] loads the tables.
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
    val cached = LatestReads.suspend {
      plans.filter(_.collectWithSubqueries(stale).nonEmpty)
        .flatMap(Classic.lookUpCached(session, _)).map(_.plan)
    }
    // A plan can use other cached plans as its parts, so the parts are planned first.
    cached.sortBy(_.collectWithSubqueries { case part => part }.length).foreach { plan =>
      BestEffort.run("planning cached tables again") {
        classic.sharedState.cacheManager.recacheByPlan(classic, plan)
      }
    }
  }
}
