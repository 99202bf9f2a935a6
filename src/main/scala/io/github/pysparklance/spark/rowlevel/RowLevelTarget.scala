// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.transaction.Retry

/** The table of commands that delete rows or change them. */
private[spark] trait RowLevelTarget extends Table {

  /** Returns the same table at another version. */
  private[spark] def atVersion(version: LanceTable): RowLevelTarget

  /** Returns the same table at its latest version. */
  private[spark] def onLatest: RowLevelTarget

  /** How often a DELETE or TRUNCATE of all rows is retried. */
  private[spark] def retry: Retry
}

private[rowlevel] object RowLevelTarget {

  /** The table of a relation, if it is one of ours. */
  def of(relation: DataSourceV2Relation): Option[RowLevelTarget] = relation.table match {
    case target: RowLevelTarget => Some(target)
    case _ => None
  }
}
