// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import java.util

import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.connector.catalog.{
  Column,
  DelegatingCatalogExtension,
  Identifier,
  Table,
  TableCatalog
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.catalog.PathTables
import io.github.pysparklance.spark.common.{LanceErrors, TableLocation}
import io.github.pysparklance.spark.shim.SparkShim
import io.github.pysparklance.table.refs.Revision

/** Lance tables beside all others in `spark_catalog`:
  * {{{
  *   spark.sql.catalog.spark_catalog = io.github.pysparklance.spark.LanceSessionCatalog
  * }}}
  * `CREATE TABLE … USING lance [LOCATION …]` makes the table at once and puts it on record in the session catalog
  * (Hive's where there is one); tables of other providers go through unchanged.
  */
final class LanceSessionCatalog extends DelegatingCatalogExtension {

  override def loadTable(ident: Identifier): Table =
    load(ident, super.loadTable(ident), None)

  override def loadTable(ident: Identifier, version: String): Table = {
    val recorded = super.loadTable(ident)
    if (isLance(recorded)) load(ident, recorded, Some(PathTables.revision(version)))
    else super.loadTable(ident, version)
  }

  override def loadTable(ident: Identifier, timestamp: Long): Table = {
    val recorded = super.loadTable(ident)
    if (isLance(recorded)) load(ident, recorded, Some(PathTables.revision(timestamp)))
    else super.loadTable(ident, timestamp)
  }

  private def load(ident: Identifier, recorded: Table, revision: Option[Revision]): Table =
    if (!isLance(recorded)) recorded
    else {
      val place = location(recorded)
      val name = Seq(this.name(), ident.namespace().mkString("."), ident.name()).mkString(".")
      PathTables
        .load(place, Some(name), revision)
        .getOrElse(throw LanceErrors.pathNotFound(place.path))
    }

  override def createTable(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Table =
    if (!isLance(properties)) super.createTable(ident, columns, partitions, properties)
    else {
      PathTables.refusePartitioning(partitions)
      if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
      createLance(ident, SparkShim.structType(columns), properties)
      loadTable(ident)
    }

  /** The record comes first: Spark refuses to name a managed table whose folder is there. */
  private def createLance(
      ident: Identifier,
      wanted: StructType,
      properties: util.Map[String, String]
  ): Unit = {
    val settings = PathTables.properties(properties)
    val there = settings
      .get(TableCatalog.PROP_LOCATION)
      .flatMap(path => PathTables.load(TableLocation(path, settings)))
    val columns = there.filter(_ => wanted.isEmpty).fold(wanted)(_.schema())
    super.createTable(ident, SparkShim.columns(columns), Array.empty[Transform], properties): Unit
    if (there.isEmpty)
      try PathTables.create(location(super.loadTable(ident)), columns, settings)
      catch {
        case e: Exception =>
          super.dropTable(ident)
          throw e
      }
  }

  private def location(recorded: Table): TableLocation = {
    val properties = PathTables.properties(recorded.properties())
    TableLocation(properties(TableCatalog.PROP_LOCATION), properties)
  }

  private def isLance(table: Table): Boolean = isLance(table.properties())

  private def isLance(properties: util.Map[String, String]): Boolean =
    "lance".equalsIgnoreCase(properties.get(TableCatalog.PROP_PROVIDER))
}
