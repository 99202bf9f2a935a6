// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.connector.catalog.CatalogPlugin

/** The parts of the extension that are only needed on Spark 3.5. */
private[spark] object LineExtensions {

  /** Rejects a new Lance table in a catalog that does not support it. */
  def checkNewTable(catalog: CatalogPlugin): Unit = SessionTables.check(catalog, "lance")

  /** Adds rules and parsers. */
  def inject(extensions: SparkSessionExtensions): Unit = {
    extensions.injectParser((_, parser) => new EvolvingMergeParser(parser))
    extensions.injectResolutionRule(_ => LateColumns)
    extensions.injectCheckRule(_ => SessionTables)
  }
}
