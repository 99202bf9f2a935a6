// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util

import org.apache.spark.sql.connector.catalog.TableWritePrivilege

/** Tables that statements write to. Hides that no rule of ours can run before Spark compares the columns of a write with
  * those of its table, up to Spark 3.5.
  */
private[spark] object WrittenTables {

  /** Whether a later rule compares them. Spark does, in sessions without the SQL extension.
    *
    * @param privileges of the statement. Those of INSERT and of a MERGE that inserts rows are alike.
    */
  def awaitColumns(privileges: util.Set[TableWritePrivilege]): Boolean =
    privileges.contains(TableWritePrivilege.INSERT) && SessionShim.hasExtension

  /** The same for a table by path, which Spark loads alike for reads and for writes of frames. */
  def awaitColumnsByPath: Boolean = SessionShim.hasExtension
}
