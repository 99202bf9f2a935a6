// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import java.util

import org.apache.spark.sql.SparkSession
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
  StagingTableCatalog,
  SupportsNamespaces,
  Table,
  TableCatalog,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.internal.StaticSQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.catalog.{PathTables, Warehouse}
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, TableLocation}
import io.github.pysparklance.spark.shim.SparkShim
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision

/** Lance tables in a folder:
  * {{{
  *   spark.sql.catalog.lance           = io.github.pysparklance.spark.LanceCatalog
  *   spark.sql.catalog.lance.warehouse = s3a://bucket/folder     (`root` is the same)
  * }}}
  * Namespaces are folders in it, tables are folders named `<table>.lance`. A name with a slash, as in
  * `` lance.`/data/t.lance` ``, is a path and reaches tables anywhere. Without a warehouse it is Spark's own.
  */
final class LanceCatalog extends StagingTableCatalog with SupportsNamespaces {
  private var catalogName = "lance"
  private var options = Map.empty[String, String]
  private lazy val warehouse = Warehouse(root, options)

  override def initialize(name: String, settings: CaseInsensitiveStringMap): Unit = {
    catalogName = name
    options = PathTables.properties(settings.asCaseSensitiveMap())
  }

  override def name(): String = catalogName

  private def root: String = {
    val set = new LanceOptions(options)
    set.text("warehouse", "root").getOrElse {
      SparkSession.active.conf.get(StaticSQLConf.WAREHOUSE_PATH.key)
    }
  }

  private def isPath(ident: Identifier): Boolean =
    ident.namespace().isEmpty && ident.name().contains("/")

  private def location(ident: Identifier): TableLocation =
    if (isPath(ident)) TableLocation(ident.name(), options)
    else warehouse.table(ident.namespace(), ident.name())

  private def qualified(ident: Identifier): String =
    (name() +: ident.namespace().toSeq :+ ident.name()).mkString(".")

  override def listTables(namespace: Array[String]): Array[Identifier] = {
    if (!namespaceExists(namespace)) throw new NoSuchNamespaceException(namespace)
    warehouse.tables(namespace).map(Identifier.of(namespace, _)).toArray
  }

  override def loadTable(ident: Identifier): Table = load(ident, None)

  override def loadTable(ident: Identifier, version: String): Table =
    load(ident, Some(PathTables.revision(version)))

  override def loadTable(ident: Identifier, timestamp: Long): Table =
    load(ident, Some(PathTables.revision(timestamp)))

  private def load(ident: Identifier, revision: Option[Revision]): Table =
    PathTables
      .load(location(ident), Some(qualified(ident)), revision, types = types)
      .getOrElse(throw new NoSuchTableException(ident))

  private def types: TypeOptions = LanceErrors.translated(TypeOptions(new LanceOptions(options)))

  override def tableExists(ident: Identifier): Boolean = {
    val place = location(ident)
    LanceTable.exists(place.store, place.path)
  }

  override def createTable(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Table = {
    checkNew(ident, partitions, properties)
    if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
    val settings = PathTables.properties(properties)
    PathTables.create(location(ident), SparkShim.structType(columns), settings)
    loadTable(ident)
  }

  override def stageCreate(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = {
    if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
    stage(ident, columns, partitions, properties)
  }

  override def stageReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = {
    if (!tableExists(ident)) throw new NoSuchTableException(ident)
    stage(ident, columns, partitions, properties)
  }

  override def stageCreateOrReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = stage(ident, columns, partitions, properties)

  private def stage(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): StagedTable = {
    checkNew(ident, partitions, properties)
    val place = location(ident)
    val schema = SparkShim.structType(columns)
    PathTables.stage(place, schema, PathTables.properties(properties), PathTables.open(place))
  }

  private def checkNew(
      ident: Identifier,
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Unit = {
    PathTables.refusePartitioning(partitions)
    PathTables.refuseOtherProviders(PathTables.properties(properties))
    if (properties.containsKey(TableCatalog.PROP_LOCATION))
      throw LanceErrors.refused(
        s"LOCATION of ${qualified(ident)}: tables of this catalog lie in its warehouse; " +
          "use spark_catalog for tables elsewhere"
      )
    if (!isPath(ident) && !namespaceExists(ident.namespace()))
      throw new NoSuchNamespaceException(ident.namespace())
  }

  override def alterTable(ident: Identifier, changes: TableChange*): Table =
    throw LanceErrors.refused(s"ALTER TABLE ${qualified(ident)} is not supported yet")

  override def renameTable(oldIdent: Identifier, newIdent: Identifier): Unit =
    throw LanceErrors.refused(s"renaming ${qualified(oldIdent)} is not supported yet")

  override def dropTable(ident: Identifier): Boolean = {
    val place = location(ident)
    LanceErrors.translated(LanceTable.drop(place.store, place.path))
  }

  override def listNamespaces(): Array[Array[String]] = listNamespaces(Array.empty)

  override def listNamespaces(parent: Array[String]): Array[Array[String]] = {
    if (!namespaceExists(parent)) throw new NoSuchNamespaceException(parent)
    warehouse.namespaces(parent).map(parent :+ _).toArray
  }

  override def namespaceExists(namespace: Array[String]): Boolean = warehouse.exists(namespace)

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] = {
    if (!namespaceExists(namespace)) throw new NoSuchNamespaceException(namespace)
    warehouse.properties(namespace)
  }

  override def createNamespace(
      namespace: Array[String],
      metadata: util.Map[String, String]
  ): Unit =
    if (!warehouse.create(namespace, metadata)) throw new NamespaceAlreadyExistsException(namespace)

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit =
    throw LanceErrors.refused(s"ALTER NAMESPACE ${namespace.mkString(".")} is not supported yet")

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = {
    val found = namespaceExists(namespace)
    if (found) {
      if (!cascade && !warehouse.isEmpty(namespace))
        throw new NonEmptyNamespaceException(namespace)
      warehouse.drop(namespace)
    }
    found
  }
}
