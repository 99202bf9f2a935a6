// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{
  Identifier,
  Table,
  TableCatalog,
  TableContext,
  TimeTravel
}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Hides that Spark passes options of reads and writes to catalogs since 4.3. */
trait OptionCatalog extends TableCatalog {

  /** Names of the options that select the version or the columns of a table, in lower case. */
  protected def tableOptions: Set[String]

  override def tableStateOptionKeys(): util.Set[String] = tableOptions.asJava

  override def loadTable(
      ident: Identifier,
      context: TableContext,
      options: CaseInsensitiveStringMap
  ): Table = {
    val privileges = context.writePrivileges()
    val table = context.timeTravel().orElse(null) match {
      case at: TimeTravel.AsOfVersion => loadTable(ident, at.version())
      case at: TimeTravel.AsOfTimestamp => loadTable(ident, at.micros())
      case _ => if (privileges.isEmpty) loadTable(ident) else loadTable(ident, privileges)
    }
    table match {
      case ours: TableWithOptions => ours.withOptions(options)
      case other => other
    }
  }
}
