// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util

import org.apache.spark.sql.connector.catalog.TableWritePrivilege

/** Tables that statements write to. Hides that up to Spark 3.5, no extension rule can run before
  * Spark compares the columns of a write with its table.
  */
private[spark] object WrittenTables {

  /** Whether a later rule compares the columns.
    *
    * @param privileges privileges of the statement
    */
  def awaitColumns(privileges: util.Set[TableWritePrivilege]): Boolean = false

  /** Whether a later rule compares the columns for a table by path. */
  def awaitColumnsByPath: Boolean = false
}
