// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.Table

/** Hides `Table.version`, which Spark has since 4.1 to reload tables between the analysis and the
  * execution of a query. Here, [[io.github.pysparklance.spark.sql.ReadLatest]] does so.
  */
trait VersionedTable extends Table {

  /** The version of this object, or `None` if the table must not be reloaded. */
  protected def versionText: Option[String]

  /** Whether the user selected this version. */
  private[spark] def pinned: Boolean

  private[spark] def isLoadedAgain: Boolean = versionText.isDefined
}
