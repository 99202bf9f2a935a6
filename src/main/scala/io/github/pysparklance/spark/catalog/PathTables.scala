// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.time.Instant
import java.time.temporal.ChronoUnit

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{StagedTable, Table, TableCatalog}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.spark.common.{LanceErrors, TableLocation}
import io.github.pysparklance.spark.types.{BlobFields, LanceFields, TypeOptions}
import io.github.pysparklance.spark.write.{TableProperties, WriteTarget}
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.{FragmentWriter, LanceTable}

/** What all catalogs do with the table at a path, once they know the path. */
private[spark] object PathTables {

  /** The table at a location, if there is one.
    *
    * @param revision the newest version if none is given; a table at one cannot be written
    * @param anySchema see [[LanceSparkTable]]
    * @param types see [[LanceSparkTable]]
    */
  def load(
      location: TableLocation,
      name: Option[String] = None,
      revision: Option[Revision] = None,
      anySchema: Boolean = false,
      types: TypeOptions = TypeOptions.default
  ): Option[LanceSparkTable] = LanceErrors.translated {
    val table = revision match {
      case Some(r) if LanceTable.exists(location.store, location.path) =>
        Some(LanceTable.open(location.store, location.path, r))
      case Some(_) => None
      case None => LanceTable.openIfExists(location.store, location.path)
    }
    val shown = name.getOrElse(s"lance ${location.path}")
    table.map(t => new LanceSparkTable(shown, location, t, revision.isDefined, anySchema, types))
  }

  /** What `VERSION AS OF` names: a version by its number, else a tag or a branch. */
  def revision(text: String): Revision =
    TravelOptions.number(text).fold[Revision](Revision.Named(text.trim))(Revision.Version)

  /** What `TIMESTAMP AS OF` names.
    *
    * @param micros microseconds since 1970 UTC
    */
  def revision(micros: Long): Revision =
    Revision.AsOf(Instant.EPOCH.plus(micros, ChronoUnit.MICROS))

  /** A table that another catalog has on record and nobody has written. */
  def declared(
      location: Option[TableLocation],
      columns: StructType,
      properties: Map[String, String]
  ): Table = LanceErrors.translated {
    // Types without a counterpart fail now and not at the first write.
    LanceFields.schema(columns, properties): Unit
    new DeclaredTable(location, columns, properties)
  }

  /** Makes an empty table. */
  def create(
      location: TableLocation,
      columns: StructType,
      properties: Map[String, String]
  ): Unit = LanceErrors.translated {
    val version = TableProperties.fileVersion(properties).getOrElse(FileVersion.default)
    val schema = BlobFields.in(version)(LanceFields.schema(columns, properties))
    FragmentWriter.check(schema, version)
    LanceTable.create(
      location.store,
      location.path,
      schema,
      fileVersion = version,
      config = TableProperties.kept(properties)
    ): Unit
  }

  /** Makes or replaces a table together with its rows.
    *
    * @param replaced the table that is there
    */
  def stage(
      location: TableLocation,
      columns: StructType,
      properties: Map[String, String],
      replaced: Option[LanceTable]
  ): StagedTable = LanceErrors.translated {
    new StagedLanceTable(new WriteTarget.Staged(location, columns, properties, replaced))
  }

  /** The table as the lower floors see it. */
  def open(location: TableLocation): Option[LanceTable] =
    LanceErrors.translated(LanceTable.openIfExists(location.store, location.path))

  /** Properties as a map of ours. */
  def properties(settings: java.util.Map[String, String]): Map[String, String] =
    settings.asScala.toMap

  /** Tables have no partitions. */
  def refusePartitioning(partitions: Array[Transform]): Unit =
    if (partitions.nonEmpty)
      throw LanceErrors.refused("Lance tables have no partitions: leave out PARTITIONED BY")

  /** Only our tables are made here. */
  def refuseOtherProviders(properties: Map[String, String]): Unit =
    properties.get(TableCatalog.PROP_PROVIDER).filterNot(_.equalsIgnoreCase("lance")).foreach { p =>
      throw LanceErrors.translate(
        new InvalidRequestException(s"this catalog has Lance tables only, not $p", Place.unknown)
      )
    }
}
