// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql.statements

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.{Row, SparkSession}

import io.github.pysparklance.core.{InvalidRequestException, Optional}
import io.github.pysparklance.spark.catalog.{CloneTargets, WapBranch}
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.jobs.{CloneJob, CloneOutcome, JobTable}
import io.github.pysparklance.spark.shim.{SessionShim, SparkShim}
import io.github.pysparklance.spark.sql.{
  CommittingCommand,
  Cursor,
  LoadedTable,
  Statement,
  TableTarget
}
import io.github.pysparklance.spark.types.{SparkTypes, TypeOptions}
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.LanceTable

/** `CREATE TABLE … CLONE`. */
private[spark] object CloneTable extends Statement {
  override val usage: String =
    "CREATE [OR REPLACE] TABLE [IF NOT EXISTS] x {SHALLOW | DEEP} CLONE t " +
      "[VERSION AS OF v | TIMESTAMP AS OF time | TAG name] [LOCATION 'path']"

  override def begins(cursor: Cursor): Boolean =
    cursor.take("CREATE") && {
      cursor.take("OR", "REPLACE")
      cursor.take("TABLE") && {
        cursor.take("IF", "NOT", "EXISTS")
        cursor.seesAfterName("SHALLOW", "CLONE") || cursor.seesAfterName("DEEP", "CLONE")
      }
    }

  override def parse(cursor: Cursor): LogicalPlan = {
    val ifThere = IfThere.parse(cursor, "TABLE")
    val name = cursor.name()
    val isShallow = cursor.take("SHALLOW")
    if (!isShallow) cursor.expect("DEEP")
    cursor.expect("CLONE")
    val source = TableTarget(cursor.name())
    val point = VersionPoint.parse(cursor, Seq("LOCATION"))
    val location = Optional.when(cursor.take("LOCATION"))(cursor.string())
    CloneTableCommand(name, source, point, isShallow, ifThere, location)
  }
}

/** Runs [[CloneTable]].
  *
  * @param name name of the new table
  * @param point version to clone; `None` for the latest version
  * @param location location of the clone; `None` for the default of its catalog
  */
final private[spark] case class CloneTableCommand(
    name: Seq[String],
    source: TableTarget,
    point: Option[VersionPoint],
    isShallow: Boolean,
    ifThere: IfThere,
    location: Option[String]
) extends CommittingCommand(CloneOutcome.schema) {

  override protected def rows(session: SparkSession): Seq[Row] = {
    val (catalog, targets, ident) = target(session)
    val exists = catalog.tableExists(ident)
    if (exists && ifThere == IfThere.Keep) Nil
    else {
      val loaded = source.load(session, "CLONE")
      val version = point.fold(loaded.table)(_.open(session, loaded))
      val columns = SparkTypes.shownColumns(version.schema.fields, TypeOptions.default)
      if (exists && ifThere == IfThere.Replace) {
        val place = targets.placeOf(ident, location)
        drop(session, catalog, ident, loaded, version, place)
      }
      var outcome = Option.empty[CloneOutcome]
      targets.receive(ident, columns, location) { place =>
        outcome = Some(make(JobTable(session, loaded.location, version), place))
      }
      outcome.map(_.row).toSeq
    }
  }

  private def make(of: JobTable, place: TableLocation): CloneOutcome =
    if (isShallow) CloneJob.shallow(of, place) else CloneJob.deep(of, place)

  private def target(session: SparkSession): (TableCatalog, CloneTargets, Identifier) =
    SessionShim.analyzed(session, UnresolvedIdentifier(name)) match {
      case ResolvedIdentifier(catalog: TableCatalog with CloneTargets, ident) =>
        (catalog, catalog, ident)
      case _ =>
        throw SparkShim.analysisException(
          "UNSUPPORTED_FEATURE.TABLE_OPERATION",
          Map(
            "tableName" -> TableTarget(name).toString,
            "operation" -> "CLONE, which makes tables in catalogs of Lance tables"
          ),
          null
        )
    }

  /** Drops the old table with its versions, because a new version of it cannot reference the files
    * of another table.
    *
    * @param from table to clone
    * @param version version to clone
    */
  private def drop(
      session: SparkSession,
      catalog: TableCatalog,
      ident: Identifier,
      from: LoadedTable,
      version: LanceTable,
      place: Option[TableLocation]
  ): Unit = {
    val old = TableTarget(name).load(session, "CLONE")
    WapBranch.rejectReplacement(old.spark.home)
    val gone = old.store.canonical(old.root)
    val origin = from.store.canonical(from.root)
    if (origin == gone)
      throw new InvalidRequestException(
        s"${old.spark.name} cannot be replaced by a clone of itself; restore the version instead"
      )
    if (hasSameLatest(old, from))
      throw new InvalidRequestException(
        s"${old.spark.name} cannot be replaced: it has the same latest version as the source, so both " +
          s"may be one table; if they are separate tables, drop ${old.spark.name} first"
      )
    val files = Seq(from.table, version).flatMap(basesOf(from.store, _))
    if ((origin +: files).exists(TablePath.isWithin(_, gone)))
      throw new InvalidRequestException(
        s"${old.spark.name} cannot be replaced: the source of the clone has files in it"
      )
    place.filterNot(p => p.store.canonical(p.path) == gone).foreach(CloneJob.rejectTable)
    // An error after this point would leave neither table.
    CloneJob.check(version, place.fold(old.root)(_.path), isShallow)
    catalog.dropTable(ident): Unit
    old.changed()
  }

  /** Whether the latest version of both tables is the same commit. Then both paths refer to one
    * table, for example through a mount, or one table is a copy of the files of the other.
    */
  private def hasSameLatest(a: LoadedTable, b: LoadedTable): Boolean = {
    def latest(t: LoadedTable): Option[(Long, String)] = for {
      table <- LanceTable.openIfExists(t.store, t.root)
      transaction <- table.manifest.transactionFile
    } yield (table.version, transaction)
    val one = latest(a)
    one.isDefined && one == latest(b)
  }

  /** The base paths of a version in canonical form. Shallow clones and branches have base paths. */
  private def basesOf(store: FileStore, version: LanceTable): Iterable[String] =
    version.manifest.basePaths.values.map(b => store.canonical(b.folder(version.root).root))
}
