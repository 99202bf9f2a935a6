// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.Identifier

/** Resolves the new name in `ALTER TABLE … RENAME TO`. Spark does not resolve it, and it may start
  * with the name of the catalog.
  */
private[spark] object Renamed {

  /** Returns the identifier in the catalog.
    *
    * @param catalog name of the catalog
    * @param ident identifier with all leading names as its namespace
    */
  def in(catalog: String, ident: Identifier): Identifier =
    if (ident.namespace().headOption.contains(catalog))
      Identifier.of(ident.namespace().tail, ident.name())
    else ident
}
