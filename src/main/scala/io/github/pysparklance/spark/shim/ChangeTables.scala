// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.{Identifier, SupportsRead, TableCatalog}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.table.changes.ChangeBound

/** A catalog that reads the changes of its tables. */
private[spark] trait ChangeTables extends TableCatalog {

  /** Returns the changes of a table as rows.
    *
    * @param begin `None` for a stream that starts with the rows of the table
    * @param end `None` for the version that is read
    * @param net whether changes of a row are collapsed to one
    * @param options options of the read
    */
  protected def changeTable(
      ident: Identifier,
      begin: Option[ChangeBound],
      end: Option[ChangeBound],
      net: Boolean,
      options: CaseInsensitiveStringMap
  ): ChangeRead
}

/** A read of changes.
  *
  * @param options options of the read, with the bounds as options of a change feed
  * @param scanOptions adds the bounds to the options of a scan
  */
final private[spark] case class ChangeRead(table: SupportsRead, options: CaseInsensitiveStringMap)(
    val scanOptions: CaseInsensitiveStringMap => CaseInsensitiveStringMap
)
