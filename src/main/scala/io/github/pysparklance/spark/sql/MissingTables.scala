// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.internal.SQLConf

import io.github.pysparklance.spark.catalog.StagingCatalog
import io.github.pysparklance.spark.shim.SessionShim

/** Reports tables that are missing in a catalog named `lance`, like the data source: Spark takes a name such as `lance.ordrs`
  * for a query on files if there is no such table.
  */
final private[spark] class MissingTables(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.collectWithSubqueries {
      case u: UnresolvedRelation => refuse(u, u.multipartIdentifier)
      case RelationTimeTravel(u: UnresolvedRelation, _, _) => refuse(u, u.multipartIdentifier)
    }: Unit
    plan
  }

  private def refuse(relation: UnresolvedRelation, name: Seq[String]): Unit =
    if (looksLikeFile(name))
      SessionShim.catalog(session, name.head).foreach {
        case catalog: StagingCatalog if !isThere(catalog, name.last) => relation.tableNotFound(name)
        case _ => ()
      }

  private def looksLikeFile(name: Seq[String]): Boolean =
    name.length == 2 && name.head.equalsIgnoreCase("lance") && SQLConf.get.runSQLonFile

  /** A name may have a selector, as that of a branch of the table that is the current namespace. */
  private def isThere(catalog: StagingCatalog, name: String): Boolean = {
    val ident = Identifier.of(Array.empty, name)
    catalog.tableExists(ident) ||
    (try catalog.loadTable(ident) != null
    catch { case _: NoSuchTableException | _: NoSuchNamespaceException => false })
  }
}
