// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.TableCapability._
import org.apache.spark.sql.connector.catalog.{
  MetadataColumn,
  SupportsDeleteV2,
  SupportsMetadataColumns,
  SupportsRead,
  SupportsRowLevelOperations,
  SupportsWrite,
  Table,
  TableCapability,
  TableCatalog,
  TableWritePrivilege
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{
  LogicalWriteInfo,
  RowLevelOperationBuilder,
  RowLevelOperationInfo,
  WriteBuilder
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Optional, Printable}
import io.github.pysparklance.spark.common.{
  ChangeFeedOptions,
  LanceErrors,
  LanceOptions,
  LocatedTable,
  OptionRegistry,
  TableLocation
}
import io.github.pysparklance.spark.metadata.MetadataSource
import io.github.pysparklance.spark.rowlevel.RowLevelTarget
import io.github.pysparklance.spark.scan.LanceScanBuilder
import io.github.pysparklance.spark.scan.changes.{ChangeRequest, ChangeTable}
import io.github.pysparklance.spark.shim.{
  ConstrainedTable,
  ScanMerging,
  SchemaEvolution,
  SessionShim,
  TableConstraint,
  TableWithOptions,
  VersionedTable,
  WrittenTables
}
import io.github.pysparklance.spark.streaming.ChangeStreamTable
import io.github.pysparklance.spark.types.{MetadataFields, TableKeys, TypeOptions}
import io.github.pysparklance.spark.write.{ColumnEvolution, TableProperties}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.transaction.Retry

/** A version of a table or branch in Spark. The version is fixed when the table is loaded. Spark
  * reloads the table before a query runs.
  */
final class LanceSparkTable private[spark] (private[spark] val loaded: LoadedTable)
    extends SupportsRead
    with SupportsMetadataColumns
    with SupportsWrite
    with SupportsRowLevelOperations
    with SupportsDeleteV2
    with VersionedTable
    with ConstrainedTable
    with TableWithOptions
    with LocatedTable
    with RowLevelTarget
    with IndexedTable {
  import loaded.{anySchema, commandOptions, types, written}

  override def name: String = loaded.name

  private[spark] def home: TableLocation = loaded.home

  private[spark] def table: LanceTable = loaded.table

  private[spark] def evolution: Option[ColumnEvolution] = loaded.evolution

  private[spark] def awaitsColumns: Boolean = loaded.awaitsColumns

  /** Whether the user selected this version, and not just a table or a branch. */
  private[spark] def pinned: Boolean = loaded.isPinned

  /** The location of this table or branch. */
  private[spark] val location: TableLocation = loaded.location

  override private[spark] def homePath: String = home.path

  override def schema(): StructType = loaded.columns

  override protected def versionText: Option[String] =
    // Spark cannot compare two loads of a table with ambiguous names, and reloads tables without
    // the options of a command.
    Optional.when(commandOptions.isEmpty && AmbiguousNames.find(loaded.columns).isEmpty)(
      java.lang.Long.toUnsignedString(table.version)
    )

  override def capabilities(): util.Set[TableCapability] = {
    val always =
      Seq(
        BATCH_READ,
        MICRO_BATCH_READ,
        BATCH_WRITE,
        STREAMING_WRITE,
        TRUNCATE,
        OVERWRITE_BY_FILTER,
        OVERWRITE_DYNAMIC
      )
    val evolving = if (evolution.isEmpty) SchemaEvolution.capabilities else Nil
    (always ++ Optional.when(anySchema || awaitsColumns)(
      ACCEPT_ANY_SCHEMA
    ) ++ evolving ++ ScanMerging.capabilities).toSet.asJava
  }

  override def properties(): util.Map[String, String] =
    (TableProperties.shown(table.manifest.config) ++ constraintProperties ++
      LanceSparkTable.properties(location.path) ++ Map(
        TableProperties.Version -> table.version.toString,
        TableProperties.FileVersion -> table.fileVersion.text
      ) ++ table.manifest.branch.map(TableProperties.Branch -> Printable.line(_))).asJava

  override def partitioning(): Array[Transform] =
    if (written) TableKeys.partitionColumns(table.schema)
    else TableKeys.partitioning(table.schema, table.manifest.config)

  override private[spark] def forStatement(privileges: util.Set[TableWritePrivilege]): Table =
    changed(_.copy(written = true)).awaitingColumns(WrittenTables.awaitColumns(privileges))

  /** Returns the table as loaded by path, for a read or for a write of a data frame. Spark does not
    * distinguish them.
    */
  private[spark] def byPath: LanceSparkTable =
    awaitingColumns(WrittenTables.awaitColumnsByPath && !pinned)

  private def awaitingColumns(awaits: Boolean): LanceSparkTable =
    if (awaits && !anySchema) changed(_.copy(awaitsColumns = true)) else this

  /** Returns the table after the columns of the write are known. */
  private[spark] def decided(anySchema: Boolean): LanceSparkTable =
    changed(_.copy(anySchema = anySchema, awaitsColumns = false))

  private def changed(change: LoadedTable => LoadedTable): LanceSparkTable = {
    val other = change(loaded)
    if (other eq loaded) this else new LanceSparkTable(other)
  }

  override private[spark] def declared: Seq[TableConstraint] =
    TableConstraint.of(table.manifest.config, TableKeys.primaryKey(table.schema))

  override protected def isTrusted(check: TableConstraint.Check): Boolean =
    check.problem(loaded.columns).isEmpty

  /** Spark adds all metadata columns to the new rows of an UPDATE whose condition names one of
    * them. Without the SQL extension, `_score` cannot be removed from them again.
    */
  override def metadataColumns(): Array[MetadataColumn] =
    if (written && !SessionShim.hasExtension) MetadataFields.ofScans else MetadataFields.columns

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    LanceErrors.translated {
      if (LanceOptions(options).boolean(ChangeFeedOptions.ReadChangeFeed).contains(true))
        throw new InvalidRequestException(
          s"$name: ${ChangeFeedOptions.ReadChangeFeed} of a table by name requires the SQL extension; " +
            "without it, read the table by path"
        )
      val version = evolution.fold(loaded.selectedVersion(options))(_.table)
      LanceScanBuilder(location, version, options, types, streams(version, options))
    }

  override private[spark] def withOptions(options: CaseInsensitiveStringMap): Table =
    LanceErrors.translated {
      val table = forRead(options)
      val own = LanceOptions(options)
      if (written || !ChangeFeedOptions.requested(own)) table
      else if (ChangeOptions.hasStart(own)) table.withChanges(options)
      else table.changeStream
    }

  /** Returns the change feed of this table for a stream. */
  private[spark] def changeStream: ChangeStreamTable =
    new ChangeStreamTable(s"changes of $name", home, table, types, streams(table, _))

  private def streams(version: LanceTable, options: CaseInsensitiveStringMap): TableStreams =
    new TableStreams(loaded, version, options)

  /** Returns this table with the version and the types that options select. */
  private[spark] def forRead(options: CaseInsensitiveStringMap): LanceSparkTable = {
    // Rows are written with the types of the catalog.
    val read = if (written) types else types.and(LanceOptions(options))
    val at = requested(options)
    if (read == types) at else at.changed(_.copy(types = read))
  }

  /** Returns the changes of this table if the options of a read request them, otherwise this table.
    */
  private[spark] def withChanges(options: CaseInsensitiveStringMap): Table =
    ChangeOptions(LanceOptions(options)).fold[Table](this)(changes)

  /** Returns changes of this table. */
  private[spark] def changes(request: ChangeRequest): ChangeTable =
    new ChangeTable(s"changes of $name", home, table, request, types, streams(table, _))

  /** Returns this table at the version that options of a read or write select. */
  private[spark] def requested(options: CaseInsensitiveStringMap): LanceSparkTable =
    changed(_.selected(options))

  /** The source of its metadata tables. */
  private[spark] def metadataSource: MetadataSource = MetadataSource(home, table, pinned)

  private def writes: TableWrites = new TableWrites(loaded)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = writes.builder(info)

  override def newRowLevelOperationBuilder(info: RowLevelOperationInfo)
      : RowLevelOperationBuilder = writes.rowLevel(info)

  override def canDeleteWhere(predicates: Array[Predicate]): Boolean =
    writes.deletesWithoutScan(predicates)

  override def deleteWhere(predicates: Array[Predicate]): Unit = writes.delete(predicates)

  /** Returns the same version with the column changes of a MERGE. */
  private[spark] def evolving(columns: ColumnEvolution): LanceSparkTable =
    changed(_.copy(table = columns.table, evolution = Some(columns)))

  /** Returns the table for a command with options. */
  private[spark] def withCommandOptions(options: CaseInsensitiveStringMap): LanceSparkTable =
    changed(_.copy(commandOptions = options))

  /** Returns the table for a write with other columns. */
  private[spark] def acceptingAnySchema: LanceSparkTable = decided(anySchema = true)

  override private[spark] def atVersion(version: LanceTable): LanceSparkTable =
    changed(_.copy(table = version))

  override private[spark] def onLatest: LanceSparkTable = atVersion(table.latest)

  override private[spark] def loadedVersion: LanceTable = evolution.fold(table)(_.base)

  override private[spark] def isOtherVersionOf(other: RowLevelTarget): Boolean = other match {
    case t: LanceSparkTable => t.location.path == location.path && !pinned
    case _ => false
  }

  override private[spark] def readingItself(read: RowLevelTarget): Option[LanceSparkTable] =
    Optional.when(evolution.forall(_.isEmpty)) {
      changed(_.copy(table = read.loadedVersion, evolution = None, readsItself = true))
    }

  override private[spark] def retry(options: CaseInsensitiveStringMap): Retry =
    writes.retry(options)

  /** Returns the table or branch that a write changes.
    *
    * @throws io.github.pysparklance.core.InvalidRequestException if the version cannot be written
    */
  private[spark] def forWrite(options: CaseInsensitiveStringMap): LanceSparkTable =
    changed(_.forWrite(options))

  /** Rejects writes to a version that was selected by number, tag, or time. */
  private[spark] def checkWritable(): Unit = loaded.checkWritable()

  /** Returns the same version for a query that reads the latest version. It equals all such tables
    * with the same columns, so that Spark finds cached plans of earlier versions.
    */
  private[spark] def asLatest: LanceSparkTable =
    changed(_.copy(isLatest = true, awaitsColumns = false))

  override def toString: String = name

  override def equals(other: Any): Boolean = other match {
    case t: LanceSparkTable => loaded.identity == t.loaded.identity
    case _ => false
  }

  override def hashCode: Int = loaded.identity.hashCode
}

/** Options and properties of tables. */
private[spark] object LanceSparkTable {

  /** The options that select a version, its changes, or the types of columns, in all spellings. */
  val options: Set[String] =
    (TravelOptions.names ++ TypeOptions.names ++ ChangeFeedOptions.names).flatMap(OptionRegistry(
      _
    ).spellings).toSet

  /** The computed properties of every table. */
  def properties(path: String): Map[String, String] =
    Map(TableCatalog.PROP_PROVIDER -> "lance", TableCatalog.PROP_LOCATION -> path)

  /** Returns the version on which a change of a loaded table is based.
    *
    * @throws InvalidRequestException if it cannot be changed: a tag, an old version, or a metadata
    *   table
    */
  def toChange(loaded: Table): LanceSparkTable = loaded match {
    case t: LanceSparkTable => t.forWrite(CaseInsensitiveStringMap.empty())
    case other =>
      throw LanceErrors.rejected(s"${other.name()} is made from a table and cannot be changed")
  }
}
