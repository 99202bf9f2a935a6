// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{NoSuchDatabaseException, NoSuchTableException}
import org.apache.spark.sql.connector.catalog.{
  DelegatingCatalogExtension,
  Identifier,
  Table,
  TableCatalog,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform

import io.github.pysparklance.core.Log
import io.github.pysparklance.spark.common.{LanceErrors, TableLocation}
import io.github.pysparklance.spark.shim.{SparkShim, TableConstraint}
import io.github.pysparklance.table.LanceTable

/** Maintains the records of Lance tables in Spark's session catalog. That catalog has one level of
  * namespaces, and tables of all providers.
  */
abstract private[spark] class RecordingCatalog extends DelegatingCatalogExtension {

  /** Returns the record of a table of any provider, or `None` if there is none. */
  final protected def recorded(ident: Identifier): Option[Table] =
    if (ident.namespace().length != 1) None
    else
      try Some(super.loadTable(ident))
      catch { case _: NoSuchTableException | _: NoSuchDatabaseException => None }

  /** Records a Lance table. Returns the location for the table. */
  final protected def record(
      ident: Identifier,
      table: NewTable,
      properties: util.Map[String, String]
  ): TableLocation = {
    val columns = SparkShim.columns(SessionRecord.plain(table.columns))
    super.createTable(ident, columns, Array.empty[Transform], properties): Unit
    location(super.loadTable(ident))
  }

  /** Runs `body` for a table that was just recorded. Removes the record if it fails. */
  final protected def unrecordedOnFailure[A](ident: Identifier)(body: => A): A =
    try body
    catch {
      case e: Exception =>
        try unrecord(ident)
        catch { case other: Exception => e.addSuppressed(other) }
        throw e
    }

  /** Removes the record of a table that was not created. That also deletes the folder of a managed
    * table, so the record stays if the folder has a table of another writer.
    */
  final protected def unrecord(ident: Identifier): Unit = recorded(ident).foreach { table =>
    val place = location(table)
    val isManaged = !"true".equals(table.properties().get(TableCatalog.PROP_EXTERNAL))
    if (isManaged && LanceErrors.translated(LanceTable.exists(place.store, place.path)))
      RecordingCatalog.log.warn(
        s"${place.path}: has a table of another writer, so its record stays"
      )
    else super.dropTable(ident): Unit
  }

  /** Changes the record of a table. */
  final protected def follow(ident: Identifier, changes: Seq[TableChange]): Unit =
    if (changes.nonEmpty) super.alterTable(ident, changes: _*): Unit

  /** Returns the location of a recorded Lance table. */
  final protected def location(recorded: Table): TableLocation = {
    val properties = PathTables.properties(recorded.properties())
    TableLocation(properties(TableCatalog.PROP_LOCATION), properties)
  }

  final protected def isLance(table: Table): Boolean = isLance(table.properties())

  final protected def isLance(properties: util.Map[String, String]): Boolean =
    "lance".equalsIgnoreCase(properties.get(TableCatalog.PROP_PROVIDER))

  /** Rejects constraints of a table of another provider.
    *
    * @param always whether the statement has constraints besides those in the properties
    */
  final protected def rejectConstraints(
      properties: util.Map[String, String],
      always: Boolean = false
  ): Unit =
    if (always || properties.asScala.keys.exists(TableConstraint.isProperty))
      throw LanceErrors.rejected(
        s"constraints of a table of ${properties.get(TableCatalog.PROP_PROVIDER)}: Lance tables have some"
      )
}

private object RecordingCatalog {
  private val log = Log(classOf[RecordingCatalog])
}
