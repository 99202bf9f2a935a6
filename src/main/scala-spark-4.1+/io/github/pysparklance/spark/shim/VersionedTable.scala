// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.Table

/** A table that tells Spark its version, in lines of Spark that ask: these load it again between the analysis of a
  * query and its execution, so that all of a query sees one version, the newest one then.
  */
trait VersionedTable extends Table {

  /** The version that this object stands for; `None` if the table must not be loaded again. */
  protected def versionText: Option[String]

  override def version(): String = versionText.orNull
}
