// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.connector.catalog.CatalogPlugin

/** The parts of the extension that are only needed on Spark 3.5. */
private[spark] object LineExtensions {

  /** Rejects a new Lance table in a catalog that does not support it. Here, all catalogs do. */
  def checkNewTable(catalog: CatalogPlugin): Unit = ()

  /** Adds rules and parsers. Here, none are needed. */
  def inject(extensions: SparkSessionExtensions): Unit = ()
}
