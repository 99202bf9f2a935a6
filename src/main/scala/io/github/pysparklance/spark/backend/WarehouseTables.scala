// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import java.util

import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.connector.catalog.{Column, Identifier, StagedTable, Table}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.catalog.{
  CloneTargets,
  NewTable,
  PathTables,
  Renamed,
  StagingCatalog
}
import io.github.pysparklance.spark.common.{LanceErrors, TableLocation}

/** Creates, renames, and drops the tables of a warehouse. */
private[spark] trait WarehouseTables
    extends StagingCatalog
    with WarehouseNamespaces
    with CloneTargets {

  /** Storage options of the catalog for its tables. */
  protected def catalogOptions: Map[String, String]

  /** The fully qualified name of a table. */
  final protected def qualified(ident: Identifier): String =
    (name() +: ident.namespace().toSeq :+ ident.name()).mkString(".")

  private def names: TableNames = new TableNames(warehouse)

  override def createTable(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Table = {
    val table = NewTable(columns, partitions, properties)
    checkNew(ident, table)
    if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
    val place = newLocation(ident, table)
    names.creating(ident, place) {
      // The user may name the location of an existing table. In this case the table is only
      // registered.
      val there = table.location.flatMap(_ => PathTables.open(place))
      there match {
        case None => PathTables.create(place, table)
        case Some(_) if table.columns.nonEmpty =>
          reject(
            ident,
            place,
            s"${place.path}: there is a table already, which gets a name by CREATE TABLE without columns"
          )
        case Some(existing) =>
          table.differences(existing.manifest.config).foreach(reject(ident, place, _))
      }
      names.add(ident, place, isNew = there.isEmpty)
    }
    loadTable(ident)
  }

  /** Rejects a location that has a table. The backend must not keep it under the new name. */
  private def reject(ident: Identifier, place: TableLocation, message: String): Nothing = {
    warehouse.release(ident, place)
    throw LanceErrors.rejected(message)
  }

  private def newLocation(ident: Identifier, table: NewTable): TableLocation =
    warehouse.newLocation(ident, table.location)

  override protected def stage(ident: Identifier, table: NewTable): StagedTable = {
    checkNew(ident, table)
    warehouse.table(ident) match {
      case Some(place) =>
        PathTables.rejectOtherPlaces(qualified(ident), place, table.location, catalogOptions)
        PathTables.stage(place, table, PathTables.open(place))
      case None =>
        val place = newLocation(ident, table)
        names.creating(ident, place) {
          if (table.location.isDefined && PathTables.open(place).isDefined)
            reject(ident, place, s"${place.path}: there is a table already")
          PathTables
            .stage(place, table, None)
            .onCommit(() => names.add(ident, place, isNew = true))
            .onAbort(() => names.release(ident, place))
        }
    }
  }

  private def checkNew(ident: Identifier, table: NewTable): Unit = {
    PathTables.rejectOtherProviders(table.properties)
    checkNamespaceOf(ident)
  }

  private def checkNamespaceOf(ident: Identifier): Unit =
    if (!Warehouse.isPath(ident)) checkNamespace(ident.namespace())

  override def placeOf(ident: Identifier, location: Option[String]): Option[TableLocation] =
    Some(warehouse.newLocation(ident, location))

  override def receive(
      ident: Identifier,
      columns: StructType,
      place: Option[String]
  )(make: TableLocation => Unit): Unit = {
    checkNamespaceOf(ident)
    if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
    val target = warehouse.newLocation(ident, place)
    names.creating(ident, target) {
      make(target)
      names.add(ident, target, isNew = true)
    }
  }

  override def renameTable(oldIdent: Identifier, newIdent: Identifier): Unit = {
    val target = Renamed.in(name(), newIdent)
    if (Warehouse.isPath(oldIdent) || Warehouse.isPath(target))
      throw LanceErrors.rejected(
        s"${oldIdent.name()}: a table that is named by its path has no other name to get"
      )
    if (!tableExists(oldIdent)) throw new NoSuchTableException(oldIdent)
    checkNamespace(target.namespace())
    names.rename(oldIdent, target)
  }

  override def dropTable(ident: Identifier): Boolean = names.drop(ident)

  /** Drops the table. DROP TABLE is always permanent, even without PURGE. */
  override def purgeTable(ident: Identifier): Boolean = dropTable(ident)
}
