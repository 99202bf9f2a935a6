// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.Table

/** Hides `Table.version`, which Spark has since 4.1, to see whether a table changed between analysis and execution: here
  * a query reads the version that it was analysed with.
  */
trait VersionedTable extends Table {

  /** The version that this object stands for; `None` if the table must not be loaded again. */
  protected def versionText: Option[String]
}
