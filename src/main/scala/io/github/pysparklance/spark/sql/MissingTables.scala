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

/** Reports missing tables in a catalog named `lance`, which is also the name of the data source. If
  * there is no such table, Spark treats a name such as `lance.ordrs` as a query on files.
  */
final private[spark] class MissingTables(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    // Replaces the names of existing tables. Spark loads the tables of writes again.
    val found = plan.resolveOperators {
      case u: UnresolvedRelation => check(u, u).getOrElse(u)
      case t @ RelationTimeTravel(u: UnresolvedRelation, time, _) if time.forall(_.resolved) =>
        check(u, t).getOrElse(t)
    }
    found.collectWithSubqueries {
      case u: UnresolvedRelation => check(u, u)
      // Spark does not resolve a table before its timestamp is resolved.
      case t @ RelationTimeTravel(u: UnresolvedRelation, time, _) =>
        check(u, if (time.forall(_.resolved)) t else u)
    }: Unit
    found
  }

  /** Throws if Spark would treat the name as a file.
    *
    * @param read the relation that Spark resolves
    * @return the table; `None` if it was not loaded
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

  /** Resolves the table with Spark's rule. Spark keeps tables that are only read for the rest of
    * the analysis, so subqueries do not load them again.
    */
  private def found(read: LogicalPlan): Option[LogicalPlan] =
    Some(SessionShim.withRelations(session, read)).filterNot(_.exists {
      case _: UnresolvedRelation | _: RelationTimeTravel => true
      case _ => false
    })
}
