// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  StagedTable,
  StagingTableCatalog,
  Table,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, TableLocation}
import io.github.pysparklance.spark.shim.SparkShim
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision

/** A path on its way through Spark's resolution, with what the options say of it. Equal to another of the same path
  * and revision, so that Spark finds cached frames again.
  *
  * @param path with its scheme, absolute
  * @param revision what is read, the newest version if none is given
  * @param anySchema whether the write may bring columns of its own
  */
final private[spark] case class PathIdentifier(
    path: String,
    revision: Option[Revision],
    anySchema: Boolean
)(val options: Map[String, String])
    extends Identifier {
  override def namespace(): Array[String] = Array.empty
  override def name(): String = path
  override def toString: String = path
}

/** The catalog behind `load(path)` and `save(path)`: a table's name is its path. Private: it is registered at run
  * time by [[io.github.pysparklance.spark.LanceDataSource]] and nobody configures it.
  */
final class PathCatalog extends StagingTableCatalog {
  private var catalogName = PathCatalog.Name

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit =
    catalogName = name

  override def name(): String = catalogName

  override def loadTable(ident: Identifier): Table = {
    val place = location(ident)
    val found = ident match {
      case p: PathIdentifier =>
        PathTables.load(
          place,
          revision = p.revision,
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
      .load(place, revision = Some(PathTables.revision(version)))
      .getOrElse(new AbsentTable(place))
  }

  override def loadTable(ident: Identifier, timestamp: Long): Table = {
    val place = location(ident)
    PathTables
      .load(place, revision = Some(PathTables.revision(timestamp)))
      .getOrElse(new AbsentTable(place))
  }

  override def tableExists(ident: Identifier): Boolean = {
    val place = location(ident)
    LanceTable.exists(place.store, place.path)
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
    PathTables.refusePartitioning(partitions)
    val place = location(ident)
    val schema = SparkShim.structType(columns)
    PathTables.stage(place, schema, PathTables.properties(properties), PathTables.open(place))
  }

  private def location(ident: Identifier): TableLocation = ident match {
    case p: PathIdentifier => TableLocation(p.path, p.options)
    case other => TableLocation(other.name(), Map.empty[String, String])
  }

  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty

  override def alterTable(ident: Identifier, changes: TableChange*): Table =
    throw LanceErrors.refused(s"${ident.name()}: a table cannot be altered by its path")

  override def dropTable(ident: Identifier): Boolean =
    throw LanceErrors.refused(s"${ident.name()}: a table cannot be dropped by its path")

  override def renameTable(oldIdent: Identifier, newIdent: Identifier): Unit =
    throw LanceErrors.refused(s"${oldIdent.name()}: a table cannot be renamed by its path")
}

private[spark] object PathCatalog {

  /** A name that no user's catalog has. */
  val Name: String = "__lance_path"
}
