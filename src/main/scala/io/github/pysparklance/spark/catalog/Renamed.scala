// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.Identifier

/** The new name in `ALTER TABLE … RENAME TO`, which Spark does not resolve: it may begin with the catalog's own. */
private[spark] object Renamed {

  /** @param catalog its name
    * @param ident the name with everything before it as namespace
    */
  def in(catalog: String, ident: Identifier): Identifier =
    if (ident.namespace().headOption.contains(catalog))
      Identifier.of(ident.namespace().tail, ident.name())
    else ident
}
