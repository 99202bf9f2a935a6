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
  RowLevelOperation,
  RowLevelOperationBuilder,
  RowLevelOperationInfo,
  WriteBuilder
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Optional, Place, Printable}
import io.github.pysparklance.spark.commit.CommitNotes
import io.github.pysparklance.spark.common.{
  LanceErrors,
  LanceOptions,
  LocatedTable,
  OptionRegistry,
  OptionUse,
  TableLocation
}
import io.github.pysparklance.spark.metadata.MetadataSource
import io.github.pysparklance.spark.rowlevel.{LanceRowLevelOperation, MetadataDelete}
import io.github.pysparklance.spark.scan.LanceScanBuilder
import io.github.pysparklance.spark.shim.{
  ConstrainedTable,
  ScanMerging,
  SchemaEvolution,
  TableConstraint,
  TableWithOptions,
  VersionedTable,
  WrittenTables
}
import io.github.pysparklance.spark.types.{
  MetadataFields,
  SparkTypes,
  StoredRules,
  TableKeys,
  TypeOptions
}
import io.github.pysparklance.spark.write.{
  ColumnEvolution,
  ExistingTable,
  LanceWriteBuilder,
  TableProperties,
  WriteWithOptions
}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision

/** One version of a table or of a branch as Spark sees it. The version is chosen when the table is loaded and stays;
  * Spark loads it again before a query runs.
  *
  * @param home where the table is, also for a branch of it
  * @param table which is that of a branch when the session's setting says so
  * @param revision what the user asked for; what is neither the newest version of the table nor that of a branch cannot
  *   be written
  * @param anySchema whether a write may bring columns of its own: an overwrite that replaces the schema
  * @param types what a read makes of some types
  * @param written whether a statement writes to it, see [[ConstrainedTable.forStatement]]
  * @param evolution column changes of a MERGE: `table` has them, and is not committed
  * @param isLatest whether it stands for whatever version is the latest, see [[asLatest]]
  * @param awaitsColumns whether the columns of a write are still to be compared with those of the table, see
  *   [[WrittenTables]]
  * @param commandOptions options of the command that writes to it, see
  *   [[io.github.pysparklance.spark.sql.CommandOptions]]
  */
final class LanceSparkTable private[spark] (
    val name: String,
    private[spark] val home: TableLocation,
    private[spark] val table: LanceTable,
    private val revision: Option[Revision],
    anySchema: Boolean,
    types: TypeOptions,
    written: Boolean = false,
    private[spark] val evolution: Option[ColumnEvolution] = None,
    isLatest: Boolean = false,
    private[spark] val awaitsColumns: Boolean = false,
    commandOptions: CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty()
) extends SupportsRead
    with SupportsMetadataColumns
    with SupportsWrite
    with SupportsRowLevelOperations
    with SupportsDeleteV2
    with VersionedTable
    with ConstrainedTable
    with TableWithOptions
    with LocatedTable {

  /** Where this table or branch keeps its files. */
  private[spark] val location: TableLocation = home.copy(path = table.path)

  override private[spark] def homePath: String = home.path

  private val columnTypes = LanceErrors.translated {
    SparkTypes.shownColumns(types.fields(table.schema), types)
  }

  override def schema(): StructType = columnTypes

  override protected def versionText: Option[String] =
    // Spark cannot compare two loads of a table with ambiguous names, and loads it without the options of a command.
    Optional.when(commandOptions.isEmpty && AmbiguousNames.find(columnTypes).isEmpty)(
      java.lang.Long.toUnsignedString(table.version)
    )

  override def capabilities(): util.Set[TableCapability] = {
    val always =
      Seq(BATCH_READ, BATCH_WRITE, TRUNCATE, OVERWRITE_BY_FILTER, OVERWRITE_DYNAMIC)
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
    copied(written = true).awaitingColumns(WrittenTables.awaitColumns(privileges))

  /** The same table as it is loaded by path: for a read or for a write of a frame, which Spark does not say. */
  private[spark] def byPath: LanceSparkTable =
    awaitingColumns(WrittenTables.awaitColumnsByPath && !pinned)

  private def awaitingColumns(awaits: Boolean): LanceSparkTable =
    if (awaits && !anySchema) copied(awaitsColumns = true) else this

  /** The same table, once the columns of the write are known. */
  private[spark] def decided(anySchema: Boolean): LanceSparkTable =
    copied(anySchema = anySchema, awaitsColumns = false)

  /** A copy of which only what is named differs. */
  private def copied(
      table: LanceTable = table,
      revision: Option[Revision] = revision,
      anySchema: Boolean = anySchema,
      types: TypeOptions = types,
      written: Boolean = written,
      evolution: Option[ColumnEvolution] = evolution,
      isLatest: Boolean = isLatest,
      awaitsColumns: Boolean = awaitsColumns,
      commandOptions: CaseInsensitiveStringMap = commandOptions
  ): LanceSparkTable = new LanceSparkTable(
    name,
    home,
    table,
    revision,
    anySchema,
    types,
    written,
    evolution,
    isLatest,
    awaitsColumns,
    commandOptions
  )

  override private[spark] def declared: Seq[TableConstraint] =
    TableConstraint.of(table.manifest.config, TableKeys.primaryKey(table.schema))

  override protected def isTrusted(check: TableConstraint.Check): Boolean =
    check.problem(columnTypes).isEmpty

  /** Fails where rows that are written would take SQL of the table's that is not evaluated. */
  private def checkTrusted(): Unit = StoredRules.checkTrusted(table, columnTypes, name)

  override def metadataColumns(): Array[MetadataColumn] = MetadataFields.columns

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    LanceErrors.translated(
      scanBuilder(evolution.fold(revised(options))(_.table), options)
    )

  private def scanBuilder(
      wanted: LanceTable,
      options: CaseInsensitiveStringMap
  ): LanceScanBuilder = LanceErrors.translated {
    LanceScanBuilder(location, wanted, options, types)
  }

  /** This table at the version that options of the read ask for: a table by name is loaded without them. */
  private def revised(options: CaseInsensitiveStringMap): LanceTable =
    askedRevision(options).fold(table) { wanted =>
      val found = LanceTable.open(home.store, home.path, wanted)
      if (SparkTypes.shownColumns(types.fields(found.schema), types) != columnTypes)
        throw new InvalidRequestException(
          s"the options of the read ask for version ${found.version}, which has other columns; " +
            "read it by VERSION AS OF, or by path",
          Place(path = Some(home.path))
        )
      found
    }

  /** What options ask for besides what this table is. Spark reads the option `timestampAsOf` itself and hands it on. */
  private def askedRevision(options: CaseInsensitiveStringMap): Option[Revision] =
    TravelOptions(LanceOptions(options)).filterNot { r =>
      (revision, r) match {
        case (Some(Revision.AsOf(_, None)), Revision.AsOf(_, None)) => true
        case (mine, _) => mine.contains(r)
      }
    }.flatMap(r => TableSelector(revision).at(Some(r)).revision)

  override private[spark] def withOptions(options: CaseInsensitiveStringMap): Table =
    LanceErrors.translated {
      // Rows are written in the types of the catalog.
      val read = if (written) types else types.and(LanceOptions(options))
      asked(options).typed(read)
    }

  private def typed(read: TypeOptions): LanceSparkTable =
    if (read == types) this
    else copied(types = read)

  /** This table at what options of a read or write ask for. */
  private[spark] def asked(options: CaseInsensitiveStringMap): LanceSparkTable =
    askedRevision(options).fold(this)(at)

  private def at(wanted: Revision): LanceSparkTable =
    copied(
      table = LanceTable.open(home.store, home.path, wanted),
      revision = Some(wanted),
      isLatest = false
    )

  /** What metadata tables of it are made of. */
  private[spark] def metadataSource: MetadataSource = MetadataSource(home, table, pinned)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = LanceErrors.translated {
    if (awaitsColumns)
      throw new IllegalStateException(s"$name: the session of the write has no SQL extension")
    val write = new WriteWithOptions(info, commandOptions)
    val to = forWrite(write.options())
    AmbiguousNames.check(to.location.path, to.columnTypes)
    to.checkTrusted()
    val base = to.evolution.fold(to.table)(_.base)
    new LanceWriteBuilder(write, ExistingTable(to.location, base, anySchema, to.changes))
  }

  /** The evolution, if it changes columns. If not, rows are committed as in a MERGE without it. */
  private def changes: Option[ColumnEvolution] = evolution.filterNot(_.isEmpty)

  /** The same version with the column changes of a MERGE. */
  private[spark] def evolving(columns: ColumnEvolution): LanceSparkTable =
    copied(table = columns.table, evolution = Some(columns))

  /** The same table for a command with options. */
  private[spark] def withCommandOptions(options: CaseInsensitiveStringMap): LanceSparkTable =
    copied(commandOptions = options)

  /** The same table, for a write that brings columns of its own. */
  private[spark] def acceptingAnySchema: LanceSparkTable = decided(anySchema = true)

  override def newRowLevelOperationBuilder(info: RowLevelOperationInfo)
      : RowLevelOperationBuilder = LanceErrors.translated {
    val to = forWrite(WriteWithOptions.of(commandOptions, info.options()))
    if (info.command() != RowLevelOperation.Command.DELETE) {
      AmbiguousNames.check(to.location.path, to.columnTypes)
      to.checkTrusted()
    }
    () => to.rowLevelOperation(info.command())
  }

  private def rowLevelOperation(command: RowLevelOperation.Command): RowLevelOperation =
    new LanceRowLevelOperation(
      location,
      evolution.fold(table)(_.base),
      command,
      scanBuilder,
      changes,
      commandOptions
    )

  override def canDeleteWhere(predicates: Array[Predicate]): Boolean =
    new MetadataDelete(table).isExact(predicates)

  override def deleteWhere(predicates: Array[Predicate]): Unit = LanceErrors.translated {
    val to = forWrite(commandOptions)
    val config = to.table.manifest.config
    val options = LanceOptions(OptionUse.Write, commandOptions, config, to.location.settings)
    options.checkNames(OptionUse.Write)
    new MetadataDelete(to.table)(predicates, CommitNotes(options))
  }

  /** This table at what a write goes to: a branch where the options or the session say so.
    *
    * @throws InvalidRequestException where that is a version that cannot be written
    */
  private[spark] def forWrite(options: CaseInsensitiveStringMap): LanceSparkTable =
    // What evolves is what is written to already.
    if (evolution.isDefined) this else writable(options)

  private def writable(options: CaseInsensitiveStringMap): LanceSparkTable = {
    val wanted = asked(options)
    val audit =
      if (wanted.revision.isDefined || wanted.table.manifest.branch.isDefined) None
      else AuditBranch.write(home, table.version)
    val to = audit.fold(wanted)(wanted.at)
    to.checkWritable()
    to
  }

  /** Fails where this is a version that was named by its number, a tag or a time.
    *
    * @throws InvalidRequestException that says what to do
    */
  private[spark] def checkWritable(): Unit =
    if (pinned)
      throw new InvalidRequestException(
        s"$name is read at ${TableSelector.text(revision.get)}, which cannot be written: write to the table or " +
          "to a branch of it, or make this version the newest one by RESTORE",
        Place(path = Some(home.path), version = Some(table.version))
      )

  /** Whether the user named this version, rather than a table or a branch. */
  private[spark] def pinned: Boolean = revision.exists {
    case Revision.Latest | Revision.OnBranch(_, None) => false
    case _ => true
  }

  /** The same version for a query that reads the latest one. Equals all such tables with the same columns, so that Spark
    * finds what is cached of an earlier version.
    */
  private[spark] def asLatest: LanceSparkTable = copied(isLatest = true, awaitsColumns = false)

  override def toString: String = name

  // Spark finds cached frames and repeated scans by this: one version of one table is one table.
  private def identity: Seq[Any] = {
    val version = if (isLatest) columnTypes else table.version
    Seq(
      name,
      table.path,
      version,
      revision,
      anySchema,
      types,
      evolution,
      awaitsColumns,
      commandOptions
    )
  }

  override def equals(other: Any): Boolean = other match {
    case t: LanceSparkTable => identity == t.identity
    case _ => false
  }

  override def hashCode: Int = identity.hashCode
}

private[spark] object LanceSparkTable {

  /** The options that select a version or the types of columns, in all spellings. */
  val options: Set[String] =
    (TravelOptions.names ++ TypeOptions.names).flatMap(OptionRegistry(_).spellings).toSet

  /** What every table says of itself. */
  def properties(path: String): Map[String, String] =
    Map(TableCatalog.PROP_PROVIDER -> "lance", TableCatalog.PROP_LOCATION -> path)

  /** What a change of a loaded table is based on and commits to.
    *
    * @throws InvalidRequestException where it cannot be changed: a tag, an old version, a metadata table
    */
  def toChange(loaded: Table): LanceTable = loaded match {
    case t: LanceSparkTable => t.forWrite(CaseInsensitiveStringMap.empty()).table
    case other =>
      throw LanceErrors.refused(s"${other.name()} is made from a table and cannot be changed")
  }
}
