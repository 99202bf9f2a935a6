// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.analysis.UnresolvedTable

/** Hides the constructor of `UnresolvedTable`, which takes a hint for errors up to Spark 3.5. */
private[spark] object UnresolvedTables {

  /** Returns the unresolved table of a statement.
    *
    * @param statement name of the statement, for errors
    */
  def apply(name: Seq[String], statement: String): UnresolvedTable =
    UnresolvedTable(name, statement, None)
}
