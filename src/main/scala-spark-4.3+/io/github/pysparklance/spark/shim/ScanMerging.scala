// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.TableCapability

/** Hides `SCAN_MERGING`, which Spark has since 4.3. */
private[spark] object ScanMerging {

  /** Capabilities of a table whose scans Spark may replace by a scan with more columns, so that
    * several scalar subqueries share one scan.
    */
  val capabilities: Seq[TableCapability] = Seq(TableCapability.SCAN_MERGING)
}
