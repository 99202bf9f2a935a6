// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util

import org.apache.spark.sql.connector.catalog.TableWritePrivilege

/** Tables that statements write to. Hides that no rule of ours can run before Spark compares the columns of a write with
  * those of its table, up to Spark 3.5.
  */
private[spark] object WrittenTables {

  /** Whether a later rule compares them.
    *
    * @param privileges of the statement
    */
  def awaitColumns(privileges: util.Set[TableWritePrivilege]): Boolean = false

  /** The same for a table by path. */
  def awaitColumnsByPath: Boolean = false
}
