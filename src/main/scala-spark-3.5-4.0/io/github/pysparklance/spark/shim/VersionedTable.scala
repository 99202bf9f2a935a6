// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.Table

/** Hides `Table.version`, which Spark has since 4.1: by it, Spark loads tables again between the analysis of a query and
  * its execution. Here, [[io.github.pysparklance.spark.sql.ReadLatest]] does so.
  */
trait VersionedTable extends Table {

  /** The version that this object stands for; `None` if the table must not be loaded again. */
  protected def versionText: Option[String]

  private[spark] def isLoadedAgain: Boolean = versionText.isDefined
}
