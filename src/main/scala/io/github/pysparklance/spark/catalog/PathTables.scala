// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.time.Instant
import java.time.temporal.ChronoUnit

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{Identifier, Table, TableCatalog}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{InvalidRequestException, Parse, Place}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.spark.commit.CommitNotes
import io.github.pysparklance.spark.common.{LanceErrors, TableLocation}
import io.github.pysparklance.spark.metadata.MetadataTable
import io.github.pysparklance.spark.types.{BlobFields, LanceFields, TypeOptions}
import io.github.pysparklance.spark.write.{TableProperties, WriteOptions, WriteTarget}
import io.github.pysparklance.table.{FragmentWriter, LanceTable, OtherTables}
import io.github.pysparklance.table.refs.Revision

/** What all catalogs do with the table at a path, once they know the path. */
private[spark] object PathTables {

  /** The table at a location, if there is one.
    *
    * @param selector what of it is meant
    * @param anySchema see [[LoadedTable]]
    * @param types see [[LoadedTable]]
    */
  def load(
      location: TableLocation,
      name: Option[String] = None,
      selector: TableSelector = TableSelector.newest,
      anySchema: Boolean = false,
      types: TypeOptions = TypeOptions.default
  ): Option[Table] = LanceErrors.translated {
    val table = selector.revision.orElse(AuditBranch.read(location)) match {
      case Some(r) if LanceTable.exists(location.store, location.path) =>
        Some(LanceTable.open(location.store, location.path, r))
      case Some(_) => None
      case None => LanceTable.openIfExists(location.store, location.path)
    }
    val shown = name.getOrElse(s"lance ${location.path}")
    table.map { t =>
      val loaded = LoadedTable(shown, location, t, selector.revision, anySchema, types)
      val rows = new LanceSparkTable(loaded)
      AmbiguousNames.warn(t.path, rows.schema())
      selector.view.fold[Table](rows) { view =>
        new MetadataTable(shown, view, rows.metadataSource, rows.asked(_).metadataSource)
      }
    }
  }

  /** Finds what a name means: the table of this name, else a part of one named before a selector.
    *
    * @param travel what `VERSION AS OF` or `TIMESTAMP AS OF` asks for
    * @param current see [[TableSelector.readings]]
    * @param load the table of a name, if there is one
    */
  def named[A](ident: Identifier, travel: Option[Revision], current: => Option[Array[String]])(
      load: (Identifier, TableSelector) => Option[A]
  ): Option[A] = {
    def loaded(name: Identifier, selector: TableSelector): Option[A] =
      load(name, LanceErrors.translated(selector.at(travel)))
    loaded(ident, TableSelector.newest).orElse(
      TableSelector.readings(ident, current).flatMap { case (n, s) => loaded(n, s) }.find(_ => true)
    )
  }

  /** The path that a user wrote, and what of the table there is meant. */
  def location(path: String, options: Map[String, String]): (TableLocation, TableSelector) =
    LanceErrors.translated {
      def at(text: String) = TableLocation(text, options)
      val (table, selector) =
        PathSelector(path, p => { val l = at(p); LanceTable.exists(l.store, l.path) })
      at(table) -> selector
    }

  /** What `VERSION AS OF` names: a version by its number, else a tag or a branch. */
  def revision(text: String): Revision =
    TravelOptions.number(text).fold[Revision] {
      if (Parse.long(text.trim).exists(_ <= 0))
        throw LanceErrors.refused(s"there is no version ${text.trim}: versions are counted from 1")
      Revision.Named(text.trim)
    }(Revision.Version)

  /** What `TIMESTAMP AS OF` names, see [[instant]]. */
  def revision(micros: Long): Revision = Revision.AsOf(instant(micros))

  /** The end of a microsecond since 1970 UTC: versions have times in nanoseconds, of which SQL shows the microsecond, and
    * a version is there at the time that SQL shows for it.
    */
  def instant(micros: Long): Instant =
    Instant.EPOCH.plus(micros, ChronoUnit.MICROS).plusNanos(nanosOfMicro - 1)

  private val nanosOfMicro = 1000L

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
  def create(location: TableLocation, table: NewTable): Unit = LanceErrors.translated {
    val options = TableProperties.options(table.properties, location)
    val version = WriteOptions.fileVersion(options).getOrElse(FileVersion.default)
    val schema = BlobFields.in(version)(LanceFields.schema(table.columns, table.properties))
    FragmentWriter.check(schema, version)
    OtherTables.refuse(location.store, location.path)
    val _ = LanceTable.create(
      location.store,
      location.path,
      schema,
      fileVersion = version,
      config = TableProperties.kept(table.properties),
      properties = CommitNotes.by("CREATE TABLE"),
      enableStableRowIds = WriteOptions.stableRowIds(options)
    )
  }

  /** Makes or replaces a table together with its rows.
    *
    * @param replaced the table that is there
    */
  def stage(
      location: TableLocation,
      table: NewTable,
      replaced: Option[LanceTable]
  ): StagedLanceTable = LanceErrors.translated {
    val before = replaced.fold(Map.empty[String, String])(_.manifest.config)
    val properties = TableProperties.replacing(before, table.properties)
    new StagedLanceTable(new WriteTarget.Staged(location, table.columns, properties, replaced))
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

  /** A table stays where it is when it is replaced.
    *
    * @param name of the table
    * @param wanted where the statement wants it
    * @param options of the statement
    */
  def refuseOtherPlaces(
      name: String,
      place: TableLocation,
      wanted: Option[String],
      options: Map[String, String]
  ): Unit = wanted.map(TableLocation(_, options).path).filter(_ != place.path).foreach { path =>
    throw LanceErrors.refused(
      s"$name lies at ${place.path} and cannot be replaced by a table at $path; drop it first"
    )
  }

  /** Only our tables are made here. Spark's writers put `spark.sql.sources.default` where no provider is named; a
    * statement that names that one is refused by [[io.github.pysparklance.spark.sql.NamedProviders]].
    */
  def refuseOtherProviders(properties: Map[String, String]): Unit = {
    val default = SQLConf.get.defaultDataSourceName
    properties
      .get(TableCatalog.PROP_PROVIDER)
      .filterNot(p => p.equalsIgnoreCase("lance") || p.equalsIgnoreCase(default))
      .foreach(p => throw otherProvider(p))
  }

  /** The error for a table of another provider in a catalog of Lance tables. */
  def otherProvider(provider: String): Throwable = LanceErrors.translate(
    new InvalidRequestException(s"this catalog has Lance tables only, not $provider", Place.unknown)
  )
}
