// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.transaction.Retry
import io.github.pysparklance.table.transaction.conflict.StoredConstraints

/** The table of a command that deletes or changes rows, or appends rows of itself. */
private[spark] trait RowLevelTarget extends Table {

  /** The version that was loaded. */
  private[spark] def loadedVersion: LanceTable

  /** Whether both are versions of one branch of one table. */
  private[spark] def isOtherVersionOf(other: RowLevelTarget): Boolean

  /** Returns the table at another version for an append of rows that were selected by reading that
    * version.
    *
    * @return `None` if the append also changes columns. Its commit conflicts with all changes of
    *   rows
    */
  private[spark] def readingItself(read: RowLevelTarget): Option[RowLevelTarget]

  /** Returns the table at another version. */
  private[spark] def atVersion(version: LanceTable): RowLevelTarget

  /** Returns the table at its latest version. */
  private[spark] def onLatest: RowLevelTarget

  /** The number of retries of a DELETE or TRUNCATE of all rows, or of an append.
    *
    * @param options write options
    */
  private[spark] def retry(
      options: CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty()
  ): Retry
}

/** Finds and compares tables. */
private[rowlevel] object RowLevelTarget {

  /** Whether a statement that was analyzed for a version is valid for another one: both have the
    * same columns and constraints.
    */
  def haveSameRules(a: LanceTable, b: LanceTable): Boolean =
    a.schema == b.schema && StoredConstraints.areSame(a.manifest, b.manifest)

  /** Returns the table of a relation if it is a Lance table. */
  def of(relation: DataSourceV2Relation): Option[RowLevelTarget] = relation.table match {
    case target: RowLevelTarget => Some(target)
    case _ => None
  }
}
