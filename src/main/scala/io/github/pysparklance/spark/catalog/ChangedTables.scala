// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.{Identifier, SupportsRead}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions}
import io.github.pysparklance.spark.shim.{ChangeRead, ChangelogCatalog}
import io.github.pysparklance.table.changes.ChangeBound

/** A catalog whose tables have changes that can be read. */
private[spark] trait ChangedTables extends ChangelogCatalog {

  override protected def changeTable(
      ident: Identifier,
      begin: Option[ChangeBound],
      end: Option[ChangeBound],
      net: Boolean,
      options: CaseInsensitiveStringMap
  ): ChangeRead = loadTable(ident) match {
    case table: LanceSparkTable =>
      LanceErrors.translated {
        def withBounds(options: CaseInsensitiveStringMap) =
          ChangeOptions.withBounds(options, begin, end, net)
        val read = withBounds(options)
        val at = table.forRead(read)
        val request = begin.flatMap(_ => ChangeOptions(LanceOptions(read)))
        ChangeRead(request.fold[SupportsRead](at.changeStream)(at.changes), read)(withBounds)
      }
    case other => throw LanceErrors.rejected(s"${other.name()} has no change feed")
  }
}
