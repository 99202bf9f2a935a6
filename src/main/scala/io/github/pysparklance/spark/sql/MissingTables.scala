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
    // Tables that are found replace their names. Spark looks those of statements that write up again.
    val found = plan.resolveOperators {
      case u: UnresolvedRelation => check(u, u).getOrElse(u)
      case t @ RelationTimeTravel(u: UnresolvedRelation, time, _) if time.forall(_.resolved) =>
        check(u, t).getOrElse(t)
    }
    found.collectWithSubqueries {
      case u: UnresolvedRelation => check(u, u)
      // Spark resolves no table before its time is known.
      case t @ RelationTimeTravel(u: UnresolvedRelation, time, _) =>
        check(u, if (time.forall(_.resolved)) t else u)
    }: Unit
    found
  }

  /** Fails if Spark would take the name for that of a file.
    *
    * @param read what Spark is about to look up
    * @return the table; none if it was not looked up
    */
  private def check(relation: UnresolvedRelation, read: LogicalPlan): Option[LogicalPlan] = {
    val name = relation.multipartIdentifier
    val catalog = if (looksLikeFile(name)) SessionShim.catalog(session, name.head) else None
    catalog.collect { case _: StagingCatalog =>
      found(read).getOrElse(relation.tableNotFound(name))
    }
  }

  private def looksLikeFile(name: Seq[String]): Boolean =
    name.length == 2 && name.head.equalsIgnoreCase("lance") && SQLConf.get.runSQLonFile

  /** The table, by Spark's own rule. Spark keeps a table that is only read for the rest of the analysis, so that
    * subqueries cost no further look-up.
    */
  private def found(read: LogicalPlan): Option[LogicalPlan] =
    Some(SessionShim.withRelations(session, read)).filterNot(_.exists {
      case _: UnresolvedRelation | _: RelationTimeTravel => true
      case _ => false
    })
}
