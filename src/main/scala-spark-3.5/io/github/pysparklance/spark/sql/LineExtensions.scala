// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.connector.catalog.CatalogPlugin

/** What the extension adds to Spark 3.5, which Spark has since 4.0. */
private[spark] object LineExtensions {

  /** Rejects a new Lance table in a catalog that cannot have it. */
  def checkNewTable(catalog: CatalogPlugin): Unit = SessionTables.check(catalog, "lance")

  /** Adds rules, and parsers that see a statement before all others. */
  def inject(extensions: SparkSessionExtensions): Unit = {
    extensions.injectParser((_, parser) => new EvolvingMergeParser(parser))
    extensions.injectResolutionRule(_ => LateColumns)
    extensions.injectCheckRule(_ => SessionTables)
  }
}
