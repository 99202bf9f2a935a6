// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.transaction.Retry

/** The table of a command that deletes or changes rows. */
private[spark] trait RowLevelTarget extends Table {

  /** Returns the table at another version. */
  private[spark] def atVersion(version: LanceTable): RowLevelTarget

  /** Returns the table at its latest version. */
  private[spark] def onLatest: RowLevelTarget

  /** The number of retries of a DELETE or TRUNCATE of all rows. */
  private[spark] def retry: Retry
}

/** Finds the table of a relation. */
private[rowlevel] object RowLevelTarget {

  /** Returns the table of a relation if it is a Lance table. */
  def of(relation: DataSourceV2Relation): Option[RowLevelTarget] = relation.table match {
    case target: RowLevelTarget => Some(target)
    case _ => None
  }
}
