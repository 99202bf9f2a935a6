// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.spark.catalog.StagingCatalog
import io.github.pysparklance.spark.shim.SessionShim

/** Reports tables that are missing in a catalog named `lance`, like the data source: Spark takes a name such as `lance.ordrs`
  * for a query on files if there is no such table.
  */
final private[spark] class MissingTables(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.collectWithSubqueries {
      case u: UnresolvedRelation => check(u, u)
      // Spark resolves no table before its time is known.
      case t @ RelationTimeTravel(u: UnresolvedRelation, time, _) =>
        check(u, if (time.forall(_.resolved)) t else u)
    }: Unit
    plan
  }

  /** @param read what Spark is about to look up */
  private def check(relation: UnresolvedRelation, read: LogicalPlan): Unit = {
    val name = relation.multipartIdentifier
    if (looksLikeFile(name))
      SessionShim.catalog(session, name.head).foreach {
        case _: StagingCatalog if !isFound(read) => relation.tableNotFound(name)
        case _ => ()
      }
  }

  private def looksLikeFile(name: Seq[String]): Boolean =
    name.length == 2 && name.head.equalsIgnoreCase("lance") && SQLConf.get.runSQLonFile

  /** Whether Spark's own rule finds the table. Spark keeps a found table for the rest of the analysis,
    * so the check costs no further look-up.
    */
  private def isFound(read: LogicalPlan): Boolean =
    SessionShim.withRelations(session, read).collectFirst {
      case unknown @ (_: UnresolvedRelation | _: RelationTimeTravel) => unknown
    }.isEmpty
}
