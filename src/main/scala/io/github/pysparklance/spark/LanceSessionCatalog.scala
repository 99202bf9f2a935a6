// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  Table,
  TableCatalog,
  TableCatalogCapability,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.alter.AlterTable
import io.github.pysparklance.spark.catalog.{
  ChangedTables,
  CloneTargets,
  LanceSparkTable,
  NewTable,
  PathTables,
  RecordedStaging,
  Renamed,
  SessionRecord,
  TableSelector
}
import io.github.pysparklance.spark.common.{CachedTables, LanceErrors, TableLocation}
import io.github.pysparklance.spark.procedures.Procedures
import io.github.pysparklance.spark.shim.{
  Constraints,
  OptionCatalog,
  ProcedureCatalogShim,
  ProcedureShim,
  SessionShim,
  SparkShim
}
import io.github.pysparklance.table.refs.Revision

/** Lance tables, in addition to all other tables, in `spark_catalog`:
  * {{{
  *   spark.sql.catalog.spark_catalog = io.github.pysparklance.spark.LanceSessionCatalog
  * }}}
  * `CREATE TABLE … USING lance [LOCATION …]` creates the table, and records it in the session
  * catalog, such as Hive's. Tables of other providers are passed to the session catalog unchanged.
  *
  * The table is recorded first, because Spark rejects a managed table whose folder exists.
  */
final class LanceSessionCatalog
    extends RecordedStaging
    with ProcedureCatalogShim
    with OptionCatalog
    with ChangedTables
    with CloneTargets {

  override protected def procedures: Seq[ProcedureShim] = Procedures.in(name())

  override def capabilities(): util.Set[TableCatalogCapability] = {
    val all = new util.HashSet(super.capabilities())
    all.addAll(Constraints.capabilities.asJava)
    all
  }

  override protected def tableOptions: Set[String] = LanceSparkTable.options

  override def loadTable(ident: Identifier): Table =
    load(ident, None)(super.loadTable(ident))

  override def loadTable(ident: Identifier, version: String): Table =
    load(ident, Some(PathTables.revision(version)))(super.loadTable(ident, version))

  override def loadTable(ident: Identifier, timestamp: Long): Table =
    load(ident, Some(PathTables.revision(timestamp)))(super.loadTable(ident, timestamp))

  /** @param other the table if it is not a Lance table; throws if it does not exist */
  private def load(ident: Identifier, travel: Option[Revision])(other: => Table): Table =
    SessionShim.inSessionOf(this) {
      PathTables
        .named(ident, travel, SessionShim.currentNamespace(name()))(select(qualified(ident), _, _))
        .getOrElse(other)
    }

  private def select(shown: String, table: Identifier, selector: TableSelector): Option[Table] =
    recorded(table).filter(isLance).map { record =>
      val place = location(record)
      PathTables
        .load(place, Some(shown), selector)
        .getOrElse(throw LanceErrors.pathNotFound(place.path))
    }

  /** Does not open tables, so that a corrupt table does not fail. */
  override def invalidateTable(ident: Identifier): Unit = SessionShim.inSessionOf(this) {
    if (ident.namespace().length == 1) super.invalidateTable(ident)
    PathTables
      .named(ident, None, SessionShim.currentNamespace(name())) { (table, _) =>
        recorded(table).filter(isLance).map(location)
      }
      .foreach(place => CachedTables.refresh(place.path))
  }

  override def createTable(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: util.Map[String, String]
  ): Table =
    if (!isLance(properties)) {
      rejectConstraints(properties)
      super.createTable(ident, columns, partitions, properties)
    } else {
      if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
      val wanted = NewTable(columns, partitions, properties).withoutOwner
      val there = wanted.properties
        .get(TableCatalog.PROP_LOCATION)
        .flatMap(path => PathTables.load(TableLocation(path, wanted.properties)))
      if (there.isEmpty && wanted.isRegistration)
        wanted.location.foreach(path => throw LanceErrors.pathNotFound(path))
      val config = there.collect { case t: LanceSparkTable => t.table.manifest.config }
      config.flatMap(wanted.differences).foreach(why => throw LanceErrors.rejected(why))
      val asThere = there.filter(_ => wanted.columns.isEmpty)
      val table =
        asThere.fold(wanted)(t => wanted.copy(columns = SparkShim.structType(t.columns())))
      val place = record(ident, table, properties)
      if (there.isEmpty) unrecordedOnFailure(ident)(PathTables.create(place, table))
      loadTable(ident)
    }

  override def placeOf(ident: Identifier, location: Option[String]): Option[TableLocation] =
    location.map(TableLocation(_, Map.empty[String, String]))

  override def receive(
      ident: Identifier,
      columns: StructType,
      place: Option[String]
  )(make: TableLocation => Unit): Unit = {
    if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
    val properties = Map(TableCatalog.PROP_PROVIDER -> "lance") ++
      place.map(TableCatalog.PROP_LOCATION -> _)
    val target = record(ident, NewTable(columns, properties), properties.asJava)
    unrecordedOnFailure(ident)(make(target))
  }

  /** Changes the table, then its record in the session catalog. */
  override def alterTable(ident: Identifier, changes: TableChange*): Table = {
    val known = recorded(ident)
    known.filterNot(isLance) match {
      case Some(other) =>
        if (changes.exists(c => Constraints.added(c).isDefined || Constraints.dropped(c).isDefined))
          rejectConstraints(other.properties(), always = true)
        super.alterTable(ident, changes: _*)
      case None =>
        val table = LanceErrors.translated(LanceSparkTable.toChange(loadTable(ident)).table)
        val tableOptions =
          known.fold(Map.empty[String, String])(r => PathTables.properties(r.properties()))
        AlterTable(TableLocation(table.path, tableOptions), table, qualified(ident), changes): Unit
        val altered = loadTable(ident)
        known.filter(_ => table.manifest.branch.isEmpty).foreach { r =>
          follow(ident, SessionRecord.changes(r, altered, changes))
        }
        altered
    }
  }

  override def renameTable(oldIdent: Identifier, newIdent: Identifier): Unit =
    super.renameTable(oldIdent, Renamed.in(name(), newIdent))
}
