// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.{
  Identifier,
  StagedTable,
  Table,
  TableCatalogCapability,
  TableChange
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.alter.AlterTable
import io.github.pysparklance.spark.common.{
  CachedTables,
  ChangeFeedOptions,
  LanceErrors,
  LanceOptions,
  TableLocation
}
import io.github.pysparklance.spark.shim.SessionShim
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision

/** The catalog for `load(path)` and `save(path)`. The name of a table is its path. Internal:
  * [[io.github.pysparklance.spark.LanceDataSource]] registers it, and users do not configure it.
  */
final class PathCatalog extends StagingCatalog {
  private var catalogName = PathCatalog.Name

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit =
    catalogName = name

  override def name(): String = catalogName

  override def capabilities(): util.Set[TableCatalogCapability] =
    util.EnumSet.of(TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE)

  override def loadTable(ident: Identifier): Table = load(ident, None)

  override def loadTable(ident: Identifier, version: String): Table =
    load(ident, Some(PathTables.revision(version)))

  override def loadTable(ident: Identifier, timestamp: Long): Table =
    load(ident, Some(PathTables.revision(timestamp)))

  /** @param travel revision that Spark parsed from the options; the revision of the identifier is
    *   equal or more precise
    */
  private def load(ident: Identifier, travel: Option[Revision]): Table = inSession {
    val place = location(ident)
    val found = ident match {
      case p: PathIdentifier =>
        PathTables.load(
          place,
          selector = TableSelector(p.revision.orElse(travel), p.view),
          anySchema = p.anySchema,
          types = LanceErrors.translated(TypeOptions(new LanceOptions(p.options)))
        ).map {
          case t: LanceSparkTable =>
            LanceErrors.translated {
              val searched = SearchedRows.ifRequested(t, p.options)
              searched.foreach { s =>
                ChangeFeedOptions.reject(new LanceOptions(p.options), s.name())
              }
              searched.getOrElse[Table](t.byPath.withChanges(options(p)))
            }
          case other =>
            LanceErrors.translated(
              ChangeFeedOptions.reject(new LanceOptions(p.options), other.name())
            )
            other
        }
      case _ => PathTables.load(place, selector = TableSelector(travel))
    }
    found.foreach { table =>
      CachedTables.refreshColumns(
        r => r.catalog.contains(this) && r.identifier.contains(ident),
        table
      )
    }
    found.getOrElse(new AbsentTable(place))
  }

  private def options(ident: PathIdentifier): CaseInsensitiveStringMap =
    new CaseInsensitiveStringMap(ident.options.asJava)

  private def inSession[A](body: => A): A = SessionShim.inSessionOf(this)(body)

  override def tableExists(ident: Identifier): Boolean = inSession(LanceErrors.translated {
    val place = location(ident)
    LanceTable.exists(place.store, place.path)
  })

  override def invalidateTable(ident: Identifier): Unit =
    CachedTables.refresh(location(ident).path)

  override protected def stage(ident: Identifier, table: NewTable): StagedTable = inSession {
    val place = location(ident)
    PathTables.stage(place, table.withoutOwner, PathTables.open(place))
  }

  private def location(ident: Identifier): TableLocation = ident match {
    case p: PathIdentifier => TableLocation(p.path, p.options)
    case other => TableLocation(other.name(), PathNames.options(other.name()))
  }

  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty

  override def alterTable(ident: Identifier, changes: TableChange*): Table = {
    val table = loadTable(ident) match {
      case _: AbsentTable => throw new NoSuchTableException(ident)
      case found => LanceErrors.translated(LanceSparkTable.toChange(found).table)
    }
    val place = location(ident).copy(path = table.path)
    AlterTable(place, table, ident.name(), changes): Unit
    loadTable(ident)
  }

  override def dropTable(ident: Identifier): Boolean =
    throw LanceErrors.rejected(s"${ident.name()}: a table cannot be dropped by its path")

  override def renameTable(oldIdent: Identifier, newIdent: Identifier): Unit =
    throw LanceErrors.rejected(s"${oldIdent.name()}: a table cannot be renamed by its path")
}

/** Registers the catalog. */
private[spark] object PathCatalog {

  /** A reserved name. */
  val Name: String = "__lance_path"

  /** Registers the catalog for all sessions. It is a default of Spark's configuration instead of a
    * session configuration. Readers and writers look it up on any thread, even without an active
    * session.
    */
  def register(): Unit = registered

  private lazy val registered: Unit = {
    val key = s"spark.sql.catalog.$Name"
    try
      SQLConf.buildConf(key).internal().stringConf
        .createWithDefault(classOf[PathCatalog].getName): Unit
    // A jar that was added to a session can load this class a second time, for the same entry.
    catch { case _: IllegalArgumentException => () }
  }
}
