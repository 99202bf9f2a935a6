// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.StagingTableCatalog

/** Hides the catalog methods that take the columns of new tables as a schema. They are abstract up
  * to Spark 3.5.
  */
private[shim] trait SchemaCatalog extends StagingTableCatalog
