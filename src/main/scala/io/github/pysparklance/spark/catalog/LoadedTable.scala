// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.core.{InvalidRequestException, Place}
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, TableLocation}
import io.github.pysparklance.spark.types.{SparkTypes, TypeOptions}
import io.github.pysparklance.spark.write.ColumnEvolution
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.Revision

/** A version of a table or branch that was loaded for a statement. Options of the statement can
  * select other versions. Immutable.
  *
  * @param home location of the table, also if this is a branch of it
  * @param table the version; on the WAP branch if the session has one
  * @param revision the revision that the user selected. Only the latest version of the table or of
  *   a branch can be written
  * @param anySchema whether a write may have other columns, as in an overwrite that replaces the
  *   schema
  * @param types Spark types for reading some Lance types
  * @param written whether a statement writes to it, see
  *   [[io.github.pysparklance.spark.shim.ConstrainedTable.forStatement]]
  * @param evolution column changes of a MERGE; `table` has them, but is not committed
  * @param isLatest whether it represents the latest version at any time, see
  *   [[LanceSparkTable.asLatest]]
  * @param awaitsColumns whether the columns of a write must still be compared with the table, see
  *   [[io.github.pysparklance.spark.shim.WrittenTables]]
  * @param commandOptions options of the command that writes to it, see
  *   [[io.github.pysparklance.spark.sql.CommandOptions]]
  * @param readsItself whether an append has rows that were selected by reading this version
  */
final private[spark] case class LoadedTable(
    name: String,
    home: TableLocation,
    table: LanceTable,
    revision: Option[Revision],
    anySchema: Boolean = false,
    types: TypeOptions = TypeOptions.default,
    written: Boolean = false,
    evolution: Option[ColumnEvolution] = None,
    isLatest: Boolean = false,
    awaitsColumns: Boolean = false,
    commandOptions: CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty(),
    readsItself: Boolean = false
) {

  /** The location of this table or branch. */
  def location: TableLocation = home.copy(path = table.path)

  /** The columns in Spark. */
  val columns: StructType = LanceErrors.translated(columnsOf(table))

  private def columnsOf(version: LanceTable): StructType =
    SparkTypes.shownColumns(types.fields(version.schema), types)

  /** Whether the user selected this version, and not just a table or a branch. */
  def isPinned: Boolean = revision.exists {
    case Revision.Latest | Revision.OnBranch(_, None) => false
    case _ => true
  }

  /** Returns the table at the version that options of a read or write select. */
  def selected(options: CaseInsensitiveStringMap): LoadedTable =
    selectedRevision(options).fold(this)(at)

  /** Returns the version that options of a read select. Tables are loaded by name without options,
    * so the columns of that version must be the same.
    */
  def selectedVersion(options: CaseInsensitiveStringMap): LanceTable =
    selectedRevision(options).fold(table) { wanted =>
      val found = LanceTable.open(home.store, home.path, wanted)
      if (columnsOf(found) != columns)
        throw new InvalidRequestException(
          s"the options of the read select version ${found.version}, which has other columns; " +
            "read it by VERSION AS OF, or by path",
          Place(path = Some(home.path))
        )
      found
    }

  /** Spark evaluates the option `timestampAsOf` itself, and also passes it on. */
  private def selectedRevision(options: CaseInsensitiveStringMap): Option[Revision] =
    TravelOptions(LanceOptions(options)).filterNot { r =>
      (revision, r) match {
        case (Some(Revision.AsOf(_, None)), Revision.AsOf(_, None)) => true
        case (mine, _) => mine.contains(r)
      }
    }.flatMap(r => TableSelector(revision).at(Some(r)).revision)

  private def at(wanted: Revision): LoadedTable = copy(
    table = LanceTable.open(home.store, home.path, wanted),
    revision = Some(wanted),
    isLatest = false
  )

  /** Returns the table or branch that a write changes.
    *
    * @throws InvalidRequestException if the version cannot be written
    */
  def forWrite(options: CaseInsensitiveStringMap): LoadedTable =
    // The branch was already selected for a table that evolves.
    if (evolution.isDefined) this
    else {
      val wanted = selected(options)
      val audit =
        if (wanted.revision.isDefined || wanted.table.manifest.branch.isDefined) None
        else WapBranch.write(home, table.version)
      val to = audit.fold(wanted)(wanted.at)
      to.checkWritable()
      to
    }

  /** Rejects writes to a version that was selected by number, tag, or time.
    *
    * @throws InvalidRequestException if this version is pinned
    */
  def checkWritable(): Unit =
    if (isPinned)
      throw new InvalidRequestException(
        s"$name is read at ${TableSelector.text(revision.get)}, which cannot be written: write to the table or " +
          "to a branch of it, or restore this version with RESTORE",
        Place(path = Some(home.path), version = Some(table.version))
      )

  /** Identifies equal tables, so that Spark can reuse cached plans and scans. The identity is a
    * version of a table, or all versions with the same columns if it represents the latest.
    */
  def identity: Seq[Any] = Seq(
    name,
    table.path,
    if (isLatest) columns else (table.version, table.manifest.transactionFile),
    revision,
    anySchema,
    types,
    evolution,
    awaitsColumns,
    commandOptions
  )
}
