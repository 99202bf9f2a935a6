// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import java.util

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.analysis.{
  NamespaceAlreadyExistsException,
  NoSuchNamespaceException,
  NoSuchTableException,
  NonEmptyNamespaceException,
  TableAlreadyExistsException
}
import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  NamespaceChange,
  StagedTable,
  SupportsNamespaces,
  Table,
  TableCatalogCapability,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.CommitStateUnknownException
import io.github.pysparklance.spark.alter.AlterTable
import io.github.pysparklance.spark.backend.Warehouse
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
import io.github.pysparklance.table.{LanceTable, TableMove}

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
    with SupportsNamespaces
    with ProcedureCatalogShim
    with OptionCatalog
    with CloneTargets {
  private var catalogName = "lance"
  private var options = Map.empty[String, String]
  private lazy val opened = Warehouse(catalogName, options)

  /** The session is found before `opened` takes this catalog's lock. Finding it takes the lock of
    * Spark's catalog manager, and `USE` calls this catalog while it holds that lock.
    */
  private def warehouse: Warehouse = inSession(opened)

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

  private def missing(namespace: Array[String]): NoSuchNamespaceException =
    new NoSuchNamespaceException(name() +: namespace)

  override def listTables(namespace: Array[String]): Array[Identifier] = inSession {
    if (!namespaceExists(namespace)) throw missing(namespace)
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
    registerMade(ident, place, isNew = there.isEmpty)
    loadTable(ident)
  }

  private def newLocation(ident: Identifier, table: NewTable): TableLocation =
    warehouse.newLocation(ident, table.location)

  private def registerMade(ident: Identifier, place: TableLocation, isNew: Boolean): Unit =
    register(ident, place)(if (isNew) LanceTable.drop(place.store, place.path): Unit)

  /** Puts a table on record, or undoes what was done for that. */
  private def register(ident: Identifier, place: TableLocation)(undo: => Unit): Unit = {
    val isRecorded =
      try warehouse.register(ident, place)
      catch {
        case NonFatal(e) =>
          if (LanceErrors.find[CommitStateUnknownException](e).isEmpty)
            try undo
            catch { case NonFatal(again) => e.addSuppressed(again) }
          throw e
      }
    if (!isRecorded) {
      undo
      throw new TableAlreadyExistsException(ident)
    }
  }

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
          .onCommit(() => registerMade(ident, place, isNew = true))
    }
  }

  private def checkNew(ident: Identifier, table: NewTable): Unit = {
    PathTables.refuseOtherProviders(table.properties)
    if (!Warehouse.isPath(ident) && !namespaceExists(ident.namespace()))
      throw missing(ident.namespace())
  }

  override def placeOf(ident: Identifier, location: Option[String]): Option[TableLocation] =
    Some(warehouse.newLocation(ident, location))

  override def receive(
      ident: Identifier,
      columns: StructType,
      place: Option[String]
  )(make: TableLocation => Unit): Unit = {
    if (!Warehouse.isPath(ident) && !namespaceExists(ident.namespace()))
      throw missing(ident.namespace())
    if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
    val target = warehouse.newLocation(ident, place)
    make(target)
    registerMade(ident, target, isNew = true)
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
    val from = warehouse.table(oldIdent).getOrElse(throw new NoSuchTableException(oldIdent))
    if (!namespaceExists(target.namespace()))
      throw missing(target.namespace())
    if (tableExists(target)) throw new TableAlreadyExistsException(target)
    val to = warehouse.renamedLocation(oldIdent, target)
    def move(a: TableLocation, b: TableLocation): Unit =
      if (a.path != b.path) LanceErrors.translated(TableMove(from.store, a.path, b.path))
    move(from, to)
    register(target, to)(move(to, from))
    warehouse.unregister(oldIdent)
  }

  override def dropTable(ident: Identifier): Boolean = warehouse.location(ident).exists { place =>
    warehouse.unregister(ident)
    LanceErrors.translated(LanceTable.drop(place.store, place.path))
  }

  /** Tables have no bin: they are dropped for good in any case. */
  override def purgeTable(ident: Identifier): Boolean = dropTable(ident)

  override def listNamespaces(): Array[Array[String]] = listNamespaces(Array.empty)

  override def listNamespaces(parent: Array[String]): Array[Array[String]] = {
    if (!namespaceExists(parent)) throw missing(parent)
    warehouse.namespaces(parent).map(parent :+ _).toArray
  }

  override def namespaceExists(namespace: Array[String]): Boolean = warehouse.exists(namespace)

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] = {
    if (!namespaceExists(namespace)) throw missing(namespace)
    warehouse.properties(namespace).asJava
  }

  override def createNamespace(
      namespace: Array[String],
      metadata: util.Map[String, String]
  ): Unit =
    if (!warehouse.create(namespace, metadata.asScala.toMap))
      throw new NamespaceAlreadyExistsException(namespace)

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit = {
    if (!namespaceExists(namespace)) throw missing(namespace)
    warehouse.alter(
      namespace,
      changes.map {
        case c: NamespaceChange.SetProperty => c.property() -> Some(c.value())
        case c: NamespaceChange.RemoveProperty => c.property() -> None
        case other => throw LanceErrors.refused(s"the change of a namespace $other")
      }
    )
  }

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = {
    val found = namespaceExists(namespace)
    if (found) {
      val inside = warehouse.namespaces(namespace)
      val tables = warehouse.tables(namespace)
      if (!cascade && (inside.nonEmpty || tables.nonEmpty))
        throw new NonEmptyNamespaceException(namespace)
      inside.foreach(n => dropNamespace(namespace :+ n, cascade))
      tables.foreach(t => dropTable(Identifier.of(namespace, t)))
      warehouse.drop(namespace, cascade)
    }
    found
  }
}
