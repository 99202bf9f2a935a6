// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.{
  Identifier,
  Table,
  TableCatalogCapability,
  TableChange
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.alter.AlterTable
import io.github.pysparklance.spark.backend.{Warehouse, WarehouseTables}
import io.github.pysparklance.spark.catalog.{
  ChangedTables,
  LanceSparkTable,
  PathTables,
  TableSelector
}
import io.github.pysparklance.spark.common.{
  CachedTables,
  LanceErrors,
  LanceOptions,
  SparkLine
}
import io.github.pysparklance.spark.functions.SearchFunctionCatalog
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

/** A catalog of Lance tables in a folder:
  * {{{
  *   spark.sql.catalog.lance           = io.github.pysparklance.spark.LanceCatalog
  *   spark.sql.catalog.lance.warehouse = s3a://bucket/folder     (`root` is the same)
  * }}}
  * Namespaces are folders, and tables are folders named `<table>.lance`. A name with a slash, such
  * as `` lance.`/data/t.lance` ``, is the path of any table. The default folder is Spark's
  * warehouse.
  */
final class LanceCatalog
    extends WarehouseTables
    with ProcedureCatalogShim
    with OptionCatalog
    with ChangedTables
    with SearchFunctionCatalog {
  private var catalogName = "lance"
  private var configured = Map.empty[String, String]
  private var options = Map.empty[String, String]
  private lazy val opened = Warehouse(catalogName, configured)

  override protected def catalogOptions: Map[String, String] = options

  /** The session is found before `opened` takes the lock of this catalog. Finding it takes the lock
    * of Spark's catalog manager, and `USE` calls this catalog while it holds that lock.
    */
  override protected def warehouse: Warehouse = inSession(opened)

  private def inSession[A](body: => A): A = SessionShim.inSessionOf(this)(body)

  override def initialize(name: String, values: CaseInsensitiveStringMap): Unit = {
    LanceErrors.translated(SparkLine.check())
    catalogName = name
    configured =
      PathTables.properties(values.asCaseSensitiveMap()) ++ LanceCatalog.secretStorage(name)
    options = Warehouse.catalogOptions(configured)
  }

  override def name(): String = catalogName

  override protected def procedures: Seq[ProcedureShim] = Procedures.in(name())

  override def capabilities(): util.Set[TableCatalogCapability] =
    (Constraints.capabilities :+ TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE).toSet.asJava

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

  /** Does not open tables, so that a corrupt table does not fail. */
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

  override def alterTable(ident: Identifier, changes: TableChange*): Table = {
    val table = LanceErrors.translated(LanceSparkTable.toChange(loadTable(ident)))
    AlterTable(table.location, table.table, qualified(ident), changes): Unit
    loadTable(ident)
  }
}

private[spark] object LanceCatalog {

  /** Returns storage options that are set in the session under `lance.secret.<catalog>.<name>`, as
    * `storage.<name>`. Spark copies configuration of the session whose name begins with `spark` to
    * the properties of each job, which the event log shows in clear text.
    */
  private def secretStorage(catalog: String): Map[String, String] = {
    val prefix = s"lance.secret.$catalog."
    SQLConf.get.getAllConfs.collect {
      case (key, value) if key.startsWith(prefix) => s"storage.${key.stripPrefix(prefix)}" -> value
    }
  }
}
