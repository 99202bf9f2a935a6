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

/** A version of a table or branch that was loaded for a statement, and the versions that options of the statement select
  * instead. Immutable.
  *
  * @param home where the table is, also for a branch of it
  * @param table the version, on a branch if the session's setting says so
  * @param revision what the user named. Only the latest version of the table or of a branch can be written
  * @param anySchema whether a write may bring columns of its own: an overwrite that replaces the schema
  * @param types how a read represents some types
  * @param written whether a statement writes to it, see
  *   [[io.github.pysparklance.spark.shim.ConstrainedTable.forStatement]]
  * @param evolution column changes of a MERGE: `table` has them, and is not committed
  * @param isLatest whether it stands for whatever version is the latest, see [[LanceSparkTable.asLatest]]
  * @param awaitsColumns whether the columns of a write are still to be compared with those of the table, see
  *   [[io.github.pysparklance.spark.shim.WrittenTables]]
  * @param commandOptions options of the command that writes to it, see
  *   [[io.github.pysparklance.spark.sql.CommandOptions]]
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
    commandOptions: CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty()
) {

  /** Where this table or branch keeps its files. */
  def location: TableLocation = home.copy(path = table.path)

  /** The columns as Spark sees them. */
  val columns: StructType = LanceErrors.translated(columnsOf(table))

  private def columnsOf(version: LanceTable): StructType =
    SparkTypes.shownColumns(types.fields(version.schema), types)

  /** Whether the user named this version, rather than a table or a branch. */
  def isPinned: Boolean = revision.exists {
    case Revision.Latest | Revision.OnBranch(_, None) => false
    case _ => true
  }

  /** This table at the version that options of a read or write select. */
  def selected(options: CaseInsensitiveStringMap): LoadedTable =
    selectedRevision(options).fold(this)(at)

  /** The version that options of a read select. A table by name is loaded without them, so its columns must be the same.
    */
  def selectedVersion(options: CaseInsensitiveStringMap): LanceTable =
    selectedRevision(options).fold(table) { wanted =>
      val found = LanceTable.open(home.store, home.path, wanted)
      if (columnsOf(found) != columns)
        throw new InvalidRequestException(
          s"the options of the read ask for version ${found.version}, which has other columns; " +
            "read it by VERSION AS OF, or by path",
          Place(path = Some(home.path))
        )
      found
    }

  /** Spark reads the option `timestampAsOf` itself and passes it on. */
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

  /** This table at what a write goes to: a branch if the options or the session name one.
    *
    * @throws InvalidRequestException if the version cannot be written
    */
  def forWrite(options: CaseInsensitiveStringMap): LoadedTable =
    // A table that evolves is already what is written.
    if (evolution.isDefined) this
    else {
      val wanted = selected(options)
      val audit =
        if (wanted.revision.isDefined || wanted.table.manifest.branch.isDefined) None
        else AuditBranch.write(home, table.version)
      val to = audit.fold(wanted)(wanted.at)
      to.checkWritable()
      to
    }

  /** Fails if this version was named by its number, a tag, or a time.
    *
    * @throws InvalidRequestException that says what to do
    */
  def checkWritable(): Unit =
    if (isPinned)
      throw new InvalidRequestException(
        s"$name is read at ${TableSelector.text(revision.get)}, which cannot be written: write to the table or " +
          "to a branch of it, or make this version the newest one by RESTORE",
        Place(path = Some(home.path), version = Some(table.version))
      )

  /** Loads of equal identity are one table for Spark, which finds cached frames and repeated scans by this: one version
    * of one table, or all versions with the same columns if it stands for the latest.
    */
  def identity: Seq[Any] = Seq(
    name,
    table.path,
    if (isLatest) columns else table.version,
    revision,
    anySchema,
    types,
    evolution,
    awaitsColumns,
    commandOptions
  )
}
