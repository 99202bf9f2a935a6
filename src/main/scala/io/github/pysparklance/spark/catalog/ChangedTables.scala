// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.{Identifier, SupportsRead}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions}
import io.github.pysparklance.spark.scan.changes.ChangeRequest
import io.github.pysparklance.spark.shim.ChangelogCatalog
import io.github.pysparklance.table.changes.ChangeBound

/** A catalog whose tables have changes that can be read. */
private[spark] trait ChangedTables extends ChangelogCatalog {

  override protected def changeTable(
      ident: Identifier,
      begin: Option[ChangeBound],
      end: Option[ChangeBound],
      net: Boolean,
      options: CaseInsensitiveStringMap
  ): SupportsRead = loadTable(ident) match {
    case table: LanceSparkTable =>
      LanceErrors.translated {
        val first = begin.getOrElse(
          throw new InvalidRequestException("changes are read from a first version or time on")
        )
        val names = LanceOptions(options).text("identifierColumns")
        table.forRead(options).changes(
          ChangeRequest(first, end, net, names.fold(Seq.empty[String])(ChangeOptions.columns))
        )
      }
    case other => throw LanceErrors.rejected(s"${other.name()} has no change feed")
  }
}
