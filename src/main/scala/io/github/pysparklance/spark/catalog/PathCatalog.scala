// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.{
  Identifier,
  StagedTable,
  Table,
  TableCatalogCapability,
  TableChange
}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.alter.AlterTable
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, TableLocation}
import io.github.pysparklance.spark.metadata.MetadataView
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision

/** A path on its way through Spark's resolution, with what the options say of it. Equal to another of the same path,
  * revision and options, so that Spark finds cached frames again, and does not take a table of other storage or with other
  * types for this one.
  *
  * @param path with its scheme, absolute
  * @param revision what is read, the newest version if none is given
  * @param view the metadata table that is read instead of the rows
  * @param anySchema whether the write may bring columns of its own
  * @param options of the read or write
  */
final private[spark] case class PathIdentifier(
    path: String,
    revision: Option[Revision],
    view: Option[MetadataView],
    anySchema: Boolean,
    options: Map[String, String]
) extends Identifier {
  override def namespace(): Array[String] = Array.empty
  override def name(): String = path
  override def toString: String = path
}

/** The catalog behind `load(path)` and `save(path)`: a table's name is its path. Private: it is registered at run
  * time by [[io.github.pysparklance.spark.LanceDataSource]] and nobody configures it.
  */
final class PathCatalog extends StagingCatalog {
  private var catalogName = PathCatalog.Name

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit =
    catalogName = name

  override def name(): String = catalogName

  override def capabilities(): util.Set[TableCatalogCapability] =
    util.EnumSet.of(TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE)

  override def loadTable(ident: Identifier): Table = {
    val place = location(ident)
    val found = ident match {
      case p: PathIdentifier =>
        PathTables.load(
          place,
          selector = TableSelector(p.revision, p.view),
          anySchema = p.anySchema,
          types = LanceErrors.translated(TypeOptions(new LanceOptions(p.options)))
        )
      case _ => PathTables.load(place)
    }
    found.getOrElse(new AbsentTable(place))
  }

  override def loadTable(ident: Identifier, version: String): Table = {
    val place = location(ident)
    PathTables
      .load(place, selector = TableSelector(Some(PathTables.revision(version))))
      .getOrElse(new AbsentTable(place))
  }

  override def loadTable(ident: Identifier, timestamp: Long): Table = {
    val place = location(ident)
    PathTables
      .load(place, selector = TableSelector(Some(PathTables.revision(timestamp))))
      .getOrElse(new AbsentTable(place))
  }

  override def tableExists(ident: Identifier): Boolean = LanceErrors.translated {
    val place = location(ident)
    LanceTable.exists(place.store, place.path)
  }

  override protected def stage(ident: Identifier, table: NewTable): StagedTable = {
    val place = location(ident)
    PathTables.stage(place, table.withoutOwner, PathTables.open(place))
  }

  private def location(ident: Identifier): TableLocation = ident match {
    case p: PathIdentifier => TableLocation(p.path, p.options)
    case other => TableLocation(other.name(), PathCatalog.announced(other.name()))
  }

  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty

  override def alterTable(ident: Identifier, changes: TableChange*): Table = {
    val table = loadTable(ident) match {
      case _: AbsentTable => throw new NoSuchTableException(ident)
      case found => LanceErrors.translated(LanceSparkTable.toChange(found))
    }
    val place = location(ident).copy(path = table.path)
    AlterTable(place, table, ident.name(), changes): Unit
    loadTable(ident)
  }

  override def dropTable(ident: Identifier): Boolean =
    throw LanceErrors.refused(s"${ident.name()}: a table cannot be dropped by its path")

  override def renameTable(oldIdent: Identifier, newIdent: Identifier): Unit =
    throw LanceErrors.refused(s"${oldIdent.name()}: a table cannot be renamed by its path")
}

private[spark] object PathCatalog {

  /** A name that no user's catalog has. */
  val Name: String = "__lance_path"

  private val latest = new ThreadLocal[PathIdentifier]

  /** Remembers what a read or write says of a path until this thread comes to the next one. A write that makes a table
    * keeps the name of its identifier alone.
    */
  def announce(ident: PathIdentifier): PathIdentifier = {
    latest.set(ident)
    ident
  }

  private def announced(path: String): Map[String, String] =
    Option(latest.get).filter(_.path == path).fold(Map.empty[String, String])(_.options)
}
