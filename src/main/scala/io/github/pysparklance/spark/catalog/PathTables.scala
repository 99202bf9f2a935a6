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
import io.github.pysparklance.spark.commit.CommitInfo
import io.github.pysparklance.spark.common.{
  ChangeFeedOptions,
  LanceErrors,
  LanceOptions,
  TableLocation
}
import io.github.pysparklance.spark.metadata.MetadataTable
import io.github.pysparklance.spark.types.{BlobFields, LanceFields, TypeOptions}
import io.github.pysparklance.spark.write.{TableProperties, WriteOptions, WriteTarget}
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.{FragmentWriter, LanceTable, OtherTables}

/** Operations on tables by path, which all catalogs share. */
private[spark] object PathTables {

  /** Loads the table at a location, if it exists.
    *
    * @param selector selects a version or a metadata table
    * @param anySchema see [[LoadedTable]]
    * @param types see [[LoadedTable]]
    */
  def load(
      location: TableLocation,
      name: Option[String] = None,
      selector: TableSelector = TableSelector.latest,
      anySchema: Boolean = false,
      types: TypeOptions = TypeOptions.default
  ): Option[Table] = LanceErrors.translated {
    val table = selector.revision.orElse(WapBranch.read(location)) match {
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
        new MetadataTable(shown, view, rows.metadataSource, rows.requested(_).metadataSource)
      }
    }
  }

  /** Loads a table by path for a stream, or for Spark's session catalog. The only options that
    * count are the branch, the types of columns, and whether changes are read: the properties of a
    * table in the session catalog come as options, too.
    */
  def ofStream(path: String, optionMap: Map[String, String]): Option[Table] =
    LanceErrors.translated {
      val (place, selector) = location(path, optionMap)
      val options = new LanceOptions(optionMap)
      val branch = options.text("branch").map(Revision.OnBranch(_, None))
      load(place, selector = selector.at(branch), types = TypeOptions(options)).map {
        case t: LanceSparkTable if ChangeFeedOptions.requested(options) => t.changeStream
        case other => other
      }
    }

  /** Resolves a name: as the name of a table, or as the name of a table followed by a selector.
    *
    * @param travel revision of `VERSION AS OF` or `TIMESTAMP AS OF`
    * @param current see [[TableSelector.readings]]
    * @param load returns the table with a name, if it exists
    */
  def named[A](ident: Identifier, travel: Option[Revision], current: => Option[Array[String]])(
      load: (Identifier, TableSelector) => Option[A]
  ): Option[A] = {
    def loaded(name: Identifier, selector: TableSelector): Option[A] =
      load(name, LanceErrors.translated(selector.at(travel)))
    loaded(ident, TableSelector.latest).orElse(
      TableSelector.readings(ident, current).flatMap { case (n, s) => loaded(n, s) }.find(_ => true)
    )
  }

  /** Parses a path given by the user. */
  def location(path: String, options: Map[String, String]): (TableLocation, TableSelector) =
    LanceErrors.translated {
      def at(text: String) = TableLocation(text, options)
      val (table, selector) =
        PathSelector(path, p => { val l = at(p); LanceTable.exists(l.store, l.path) })
      at(table) -> selector
    }

  /** Returns the revision of `VERSION AS OF`: a version number, or the name of a tag or branch. */
  def revision(text: String): Revision =
    TravelOptions.number(text).fold[Revision] {
      if (Parse.long(text.trim).exists(_ <= 0))
        throw LanceErrors.rejected(s"there is no version ${text.trim}: versions are counted from 1")
      Revision.Named(text.trim)
    }(Revision.Version)

  /** Returns the revision of `TIMESTAMP AS OF`, see [[instant]]. */
  def revision(micros: Long): Revision = Revision.AsOf(instant(micros))

  /** Returns the end of a microsecond since 1970 UTC. Versions have timestamps in nanoseconds, and
    * SQL shows microseconds. The timestamp that SQL shows for a version must select that version.
    */
  def instant(micros: Long): Instant =
    Instant.EPOCH.plus(micros, ChronoUnit.MICROS).plusNanos(nanosOfMicro - 1)

  private val nanosOfMicro = 1000L

  /** Returns a table that another catalog records, and that was not written yet. */
  def declared(
      location: Option[TableLocation],
      columns: StructType,
      properties: Map[String, String]
  ): Table = LanceErrors.translated {
    // Rejects unsupported types now instead of at the first write.
    LanceFields.schema(columns, properties): Unit
    new DeclaredTable(location, columns, properties)
  }

  /** Creates an empty table.
    *
    * @throws org.apache.spark.sql.AnalysisException if the statement has a location and no columns.
    *   It is meant for an existing table, and the location is wrong
    */
  def create(location: TableLocation, table: NewTable): Unit = LanceErrors.translated {
    if (table.isRegistration) throw LanceErrors.pathNotFound(location.path)
    val options = TableProperties.options(table.properties, location)
    val version = WriteOptions.fileVersion(options).getOrElse(FileVersion.default)
    val schema = BlobFields.in(version)(LanceFields.schema(table.columns, table.properties))
    FragmentWriter.check(schema, version)
    OtherTables.reject(location.store, location.path)
    val _ = LanceTable.create(
      location.store,
      location.path,
      schema,
      fileVersion = version,
      config = TableProperties.kept(table.properties),
      properties = CommitInfo.by("CREATE TABLE"),
      enableStableRowIds = WriteOptions.stableRowIds(options)
    )
  }

  /** Stages a table that is created or replaced together with its rows.
    *
    * @param replaced the existing table
    */
  def stage(
      location: TableLocation,
      table: NewTable,
      replaced: Option[LanceTable]
  ): StagedLanceTable = LanceErrors.translated {
    if (replaced.isDefined) WapBranch.rejectReplacement(location)
    val before = replaced.fold(Map.empty[String, String])(_.manifest.config)
    val properties = TableProperties.replacing(before, table.properties)
    new StagedLanceTable(new WriteTarget.Staged(location, table.columns, properties, replaced))
  }

  /** Opens the table at a location, if it exists. */
  def open(location: TableLocation): Option[LanceTable] =
    LanceErrors.translated(LanceTable.openIfExists(location.store, location.path))

  /** Converts properties to a Scala map. */
  def properties(optionMap: java.util.Map[String, String]): Map[String, String] =
    optionMap.asScala.toMap

  /** Rejects partitions, which Lance tables do not support. */
  def rejectPartitioning(partitions: Array[Transform]): Unit =
    if (partitions.nonEmpty)
      throw LanceErrors.rejected("Lance tables have no partitions: leave out PARTITIONED BY")

  /** Rejects a new location for a table that is replaced.
    *
    * @param name name of the table
    * @param wanted location in the statement, if any
    * @param options options of the statement
    */
  def rejectOtherPlaces(
      name: String,
      place: TableLocation,
      wanted: Option[String],
      options: Map[String, String]
  ): Unit = wanted.map(TableLocation(_, options).path).filter(_ != place.path).foreach { path =>
    throw LanceErrors.rejected(
      s"$name lies at ${place.path} and cannot be replaced by a table at $path; drop it first"
    )
  }

  /** Rejects other providers. Spark's writers set `spark.sql.sources.default` if no provider is
    * named. Statements that name this provider explicitly are rejected by
    * [[io.github.pysparklance.spark.sql.NamedProviders]].
    */
  def rejectOtherProviders(properties: Map[String, String]): Unit = {
    val default = SQLConf.get.defaultDataSourceName
    properties
      .get(TableCatalog.PROP_PROVIDER)
      .filterNot(p => p.equalsIgnoreCase("lance") || p.equalsIgnoreCase(default))
      .foreach(p => throw otherProvider(p))
  }

  /** Returns the error for a table of another provider in a catalog of Lance tables. */
  def otherProvider(provider: String): Throwable = LanceErrors.translate(
    new InvalidRequestException(s"this catalog has Lance tables only, not $provider", Place.unknown)
  )
}
