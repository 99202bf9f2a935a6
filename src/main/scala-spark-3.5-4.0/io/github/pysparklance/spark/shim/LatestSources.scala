// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** The latest versions of the tables that a retried statement reads. Since 4.1, Spark loads them
  * itself.
  */
private[spark] object LatestSources {

  /** Returns the analyzed query of a statement on the latest versions of its tables. Tables whose
    * version the user selected, and the target of the statement, are unchanged.
    *
    * @return `None` if a table cannot be loaded again, or lacks columns that it had
    */
  def apply(query: LogicalPlan): Option[LogicalPlan] = {
    val tables = new LatestTables
    val isComplete = query.collectWithSubqueries {
      case r: DataSourceV2Relation if isMoving(r.table) => tables.again(r).isDefined
    }.forall(identity)
    if (!isComplete) None
    else
      Some(query.transformWithSubqueries {
        case r: DataSourceV2Relation if isMoving(r.table) =>
          tables.again(r).fold(r)(t => r.copy(table = t))
      })
  }

  private def isMoving(table: Table): Boolean = table match {
    case t: VersionedTable => !t.pinned
    case _ => false
  }
}
