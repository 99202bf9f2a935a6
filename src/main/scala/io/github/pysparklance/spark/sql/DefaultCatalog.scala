// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogPlugin

/** Registers a default catalog `lance` in sessions that do not configure one, so that ``
  * lance.`/path` `` and `CALL lance.system.…` only need the extension.
  *
  * Extensions cannot add configurations, and cannot read the configuration of a session while they
  * are applied. The catalog is therefore registered when the session parses the first name or
  * statement, before the catalog can be used. A catalog `lance` that is configured later replaces
  * it unless it was already used.
  */
private[spark] object DefaultCatalog {
  private val key = "spark.sql.catalog.lance"

  /** Registers the catalog unless the session has a catalog with that name. */
  def provide(session: SparkSession, implementation: Class[_ <: CatalogPlugin]): Unit =
    if (session.conf.getOption(key).isEmpty) session.conf.set(key, implementation.getName)
}
