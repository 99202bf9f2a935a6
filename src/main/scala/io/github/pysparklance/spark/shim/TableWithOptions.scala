// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** A table whose version or columns depend on options of the read or write. Some Spark lines load
  * tables with these options.
  */
trait TableWithOptions extends Table {

  /** Returns the table that the options select. */
  private[spark] def withOptions(options: CaseInsensitiveStringMap): Table
}
