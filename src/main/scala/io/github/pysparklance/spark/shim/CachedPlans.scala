// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** The plans in Spark's cache, which all sessions of an application share. */
private[spark] object CachedPlans {

  /** Drops the cached data of plans with a stale relation. The plans stay cached, so the next query
    * of such a plan reads its tables again.
    *
    * @param session session that plans them again
    */
  def refresh(session: SparkSession, isStale: DataSourceV2Relation => Boolean): Unit = {
    val cache = Classic.session(session).sharedState.cacheManager
    val stale: PartialFunction[LogicalPlan, DataSourceV2Relation] = {
      case r: DataSourceV2Relation if isStale(r) => r
    }
    if (!cache.isEmpty) Recaching(session, all(session), stale)
  }

  private def all(session: SparkSession): Seq[LogicalPlan] = {
    var found = Seq.empty[LogicalPlan]
    Classic.lookUpCached(session, new Probe(plan => found = found :+ plan)): Unit
    found
  }

  /** A plan that equals no other plan. Spark has no method to list its cached plans. A cache lookup
    * compares this plan with the canonical form of each cached plan.
    */
  final private class Probe(compared: LogicalPlan => Unit) extends LeafNode {
    override def output: Seq[Attribute] = Nil

    override protected def doCanonicalize(): LogicalPlan = new Probe(compared)

    override def canEqual(other: Any): Boolean = other.isInstanceOf[Probe]

    override def equals(other: Any): Boolean = other match {
      case same: AnyRef if this eq same => true
      case plan: LogicalPlan =>
        compared(plan)
        false
      case _ => false
    }

    override def hashCode: Int = System.identityHashCode(this)

    override def productArity: Int = 0

    override def productElement(n: Int): Any = throw new IndexOutOfBoundsException(n.toString)
  }
}
