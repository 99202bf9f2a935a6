// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import java.util

import scala.jdk.CollectionConverters._
import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  StagedTable,
  Table,
  TableCatalogCapability,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.alter.AlterTable
import io.github.pysparklance.spark.backend.{TableNames, Warehouse, WarehouseNamespaces}
import io.github.pysparklance.spark.catalog.{
  CloneTargets,
  LanceSparkTable,
  NewTable,
  PathTables,
  Renamed,
  StagingCatalog,
  TableSelector
}
import io.github.pysparklance.spark.common.{
  CachedTables,
  LanceErrors,
  LanceOptions,
  SparkLine,
  TableLocation
}
import io.github.pysparklance.spark.procedures.Procedures
import io.github.pysparklance.spark.shim.{
  Constraints,
  OptionCatalog,
  ProcedureCatalogShim,
  ProcedureShim,
  SessionShim
}
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.table.refs.Revision

/** Lance tables in a folder:
  * {{{
  *   spark.sql.catalog.lance           = io.github.pysparklance.spark.LanceCatalog
  *   spark.sql.catalog.lance.warehouse = s3a://bucket/folder     (`root` is the same)
  * }}}
  * Namespaces are folders in it, tables are folders named `<table>.lance`. A name with a slash, as in
  * `` lance.`/data/t.lance` ``, is a path and reaches tables anywhere. Without a warehouse it is Spark's own.
  */
final class LanceCatalog
    extends StagingCatalog
    with WarehouseNamespaces
    with ProcedureCatalogShim
    with OptionCatalog
    with CloneTargets {
  private var catalogName = "lance"
  private var options = Map.empty[String, String]
  private lazy val opened = Warehouse(catalogName, options)

  /** The session is found before `opened` takes this catalog's lock. Finding it takes the lock of
    * Spark's catalog manager, and `USE` calls this catalog while it holds that lock.
    */
  override protected def warehouse: Warehouse = inSession(opened)

  private def names: TableNames = new TableNames(warehouse)

  private def inSession[A](body: => A): A = SessionShim.inSessionOf(this)(body)

  override def initialize(name: String, settings: CaseInsensitiveStringMap): Unit = {
    LanceErrors.translated(SparkLine.check())
    catalogName = name
    options = Warehouse.settings(PathTables.properties(settings.asCaseSensitiveMap()))
  }

  override def name(): String = catalogName

  override protected def procedures: Seq[ProcedureShim] = Procedures.in(name())

  override def capabilities(): util.Set[TableCatalogCapability] =
    (Constraints.capabilities :+ TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE).toSet.asJava

  private def qualified(ident: Identifier): String =
    (name() +: ident.namespace().toSeq :+ ident.name()).mkString(".")

  override def listTables(namespace: Array[String]): Array[Identifier] = inSession {
    checkNamespace(namespace)
    warehouse.tables(namespace).map(Identifier.of(namespace, _)).toArray
  }

  override def loadTable(ident: Identifier): Table = load(ident, None)

  override def loadTable(ident: Identifier, version: String): Table =
    load(ident, Some(PathTables.revision(version)))

  override def loadTable(ident: Identifier, timestamp: Long): Table =
    load(ident, Some(PathTables.revision(timestamp)))

  private def load(ident: Identifier, travel: Option[Revision]): Table = inSession {
    PathTables
      .named(ident, travel, SessionShim.currentNamespace(name()))(select(qualified(ident), _, _))
      .getOrElse(throw new NoSuchTableException(ident))
  }

  /** Opens no table, so that a corrupt one does not fail. */
  override def invalidateTable(ident: Identifier): Unit = inSession {
    PathTables
      .named(ident, None, SessionShim.currentNamespace(name())) { (table, _) =>
        if (Warehouse.isPath(table)) Some(PathTables.location(table.name(), options)._1)
        else warehouse.table(table)
      }
      .foreach(place => CachedTables.refresh(place.path))
  }

  private def select(shown: String, table: Identifier, selector: TableSelector): Option[Table] =
    if (Warehouse.isPath(table)) {
      val (place, inPath) = PathTables.location(table.name(), options)
      val meant = LanceErrors.translated(inPath.and(selector))
      PathTables.load(place, Some(shown), meant, types = types)
    } else if ((table.namespace() :+ table.name()).exists(TableSelector.isPath)) None
    else
      warehouse.location(table).flatMap(PathTables.load(_, Some(shown), selector, types = types))

  private def types: TypeOptions = LanceErrors.translated(TypeOptions(new LanceOptions(options)))

  override protected def tableOptions: Set[String] = LanceSparkTable.options

  override def tableExists(ident: Identifier): Boolean =
    inSession(warehouse.table(ident).isDefined)

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
    // A place that the user names may have a table, which gets a name only.
    val there = table.location.flatMap(_ => PathTables.open(place))
    if (there.isEmpty) PathTables.create(place, table)
    else if (table.columns.nonEmpty)
      throw LanceErrors.refused(
        s"${place.path}: there is a table already, which gets a name by CREATE TABLE without columns"
      )
    names.add(ident, place, isNew = there.isEmpty)
    loadTable(ident)
  }

  private def newLocation(ident: Identifier, table: NewTable): TableLocation =
    warehouse.newLocation(ident, table.location)

  override protected def stage(ident: Identifier, table: NewTable): StagedTable = {
    checkNew(ident, table)
    warehouse.table(ident) match {
      case Some(place) =>
        PathTables.refuseOtherPlaces(qualified(ident), place, table.location, options)
        PathTables.stage(place, table, PathTables.open(place))
      case None =>
        val place = newLocation(ident, table)
        if (table.location.isDefined && PathTables.open(place).isDefined)
          throw LanceErrors.refused(s"${place.path}: there is a table already")
        PathTables
          .stage(place, table, None)
          .onCommit(() => names.add(ident, place, isNew = true))
    }
  }

  private def checkNew(ident: Identifier, table: NewTable): Unit = {
    PathTables.refuseOtherProviders(table.properties)
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
    make(target)
    names.add(ident, target, isNew = true)
  }

  override def alterTable(ident: Identifier, changes: TableChange*): Table = {
    val table = LanceErrors.translated(LanceSparkTable.toChange(loadTable(ident)))
    AlterTable(TableLocation(table.path, options), table, qualified(ident), changes): Unit
    loadTable(ident)
  }

  override def renameTable(oldIdent: Identifier, newIdent: Identifier): Unit = {
    val target = Renamed.in(name(), newIdent)
    if (Warehouse.isPath(oldIdent) || Warehouse.isPath(target))
      throw LanceErrors.refused(
        s"${oldIdent.name()}: a table that is named by its path has no other name to get"
      )
    if (!tableExists(oldIdent)) throw new NoSuchTableException(oldIdent)
    checkNamespace(target.namespace())
    names.rename(oldIdent, target)
  }

  override def dropTable(ident: Identifier): Boolean = names.drop(ident)

  /** Tables have no bin: they are dropped for good in any case. */
  override def purgeTable(ident: Identifier): Boolean = dropTable(ident)
}
