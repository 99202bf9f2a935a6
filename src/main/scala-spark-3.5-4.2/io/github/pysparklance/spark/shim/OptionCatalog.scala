// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.TableCatalog

/** Hides that Spark passes options of reads and writes to catalogs since 4.3. */
trait OptionCatalog extends TableCatalog {

  /** Names of the options that select the version or the columns of a table, in lower case. */
  protected def tableOptions: Set[String]
}
