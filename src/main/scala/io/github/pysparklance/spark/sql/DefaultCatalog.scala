// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogPlugin

/** The catalog named `lance` of sessions whose settings have none, so that `` lance.`/path` `` and
  * `CALL lance.system.…` work with nothing but the extension.
  *
  * Spark has no place where an extension can add settings, and a session cannot be asked for its settings while its
  * extensions are applied. So it happens when the session first reads a name or statement, before anybody can ask for
  * the catalog. A catalog of that name that is configured later takes its place as long as it has not been used.
  */
private[spark] object DefaultCatalog {
  private val setting = "spark.sql.catalog.lance"

  /** Sees to it that the session has a catalog of that name. */
  def provide(session: SparkSession, implementation: Class[_ <: CatalogPlugin]): Unit =
    if (session.conf.getOption(setting).isEmpty) session.conf.set(setting, implementation.getName)
}
