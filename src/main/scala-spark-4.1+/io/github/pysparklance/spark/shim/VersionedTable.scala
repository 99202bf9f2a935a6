// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.Table

/** A table that reports its version to Spark, which reloads it between the analysis and the
  * execution of a query. The whole query then reads the latest version at that time.
  */
trait VersionedTable extends Table {

  /** The version of this object, or `None` if the table must not be reloaded. */
  protected def versionText: Option[String]

  override def version(): String = versionText.orNull
}
