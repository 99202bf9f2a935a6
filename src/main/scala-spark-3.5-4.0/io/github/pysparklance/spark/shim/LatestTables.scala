// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import scala.collection.mutable

import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, Table, TableCatalog}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Loads the tables of a plan again, each of them once. */
final private[spark] class LatestTables {
  private val loaded = mutable.Map.empty[(String, Identifier), Option[Table]]

  /** Returns the latest version of the table of a relation.
    *
    * @return `None` if the table has no name or was dropped, must not be loaded again, or lacks
    *   columns that it had
    */
  def again(r: DataSourceV2Relation): Option[Table] =
    for {
      catalog <- r.catalog if isLoadedAgain(r.table)
      ident <- r.identifier
      table <- loaded.getOrElseUpdate((catalog.name, ident), load(catalog, ident))
      if hasColumns(table, r.table)
    } yield table

  private def isLoadedAgain(table: Table): Boolean = table match {
    case t: VersionedTable => t.isLoadedAgain
    case _ => false
  }

  private def load(catalog: CatalogPlugin, ident: Identifier): Option[Table] = catalog match {
    case tables: TableCatalog =>
      try Some(LatestReads.suspend(tables.loadTable(ident)))
      catch { case _: NoSuchTableException => None }
    case _ => None
  }

  private def hasColumns(table: Table, before: Table): Boolean = {
    def columns(t: Table) = t.columns().map(c => (c.name, c.dataType, c.nullable)).toSet
    table.getClass == before.getClass && columns(before).subsetOf(columns(table))
  }
}
