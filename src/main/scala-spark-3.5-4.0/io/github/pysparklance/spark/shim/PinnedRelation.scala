// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, Table}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Relations of rows that a table function computes from a version of a table. */
private[spark] object PinnedRelation {

  /** Returns a relation with the name of the table, which authorization checks.
    *
    * @param version version of the table; since Spark 4.1, it keeps Spark from loading the latest
    *   version
    */
  def apply(
      rows: Table,
      catalog: CatalogPlugin,
      ident: Identifier,
      @scala.annotation.unused version: Long
  ): DataSourceV2Relation = DataSourceV2Relation.create(rows, Some(catalog), Some(ident))
}
