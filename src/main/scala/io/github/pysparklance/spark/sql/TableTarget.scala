// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.util.quoteNameParts
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.{CachedTables, TableLocation}
import io.github.pysparklance.spark.jobs.JobTable
import io.github.pysparklance.spark.shim.{Frames, SessionShim, SparkShim, UnresolvedTables}
import io.github.pysparklance.storage.spi.FileStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.refs.{Branches, Revision, Tags}

/** The table that a statement names. Spark looks it up when the statement runs, as it does for statements of its own:
  * in the current namespace, in all catalogs, by path, and with a selector such as `t.branch_x`.
  *
  * @param name its parts
  * @param within the catalog whose procedure is called: a name that says no catalog is looked up there first, from its
  *   root, unless it is the current one, whose current namespace counts as in all statements
  */
final private[spark] case class TableTarget(name: Seq[String], within: Option[String] = None) {

  /** Looks it up.
    *
    * @param statement for errors: `OPTIMIZE`
    * @throws org.apache.spark.sql.AnalysisException when there is no such table, or it is none of ours
    */
  def load(session: SparkSession, statement: String): LoadedTable =
    SessionShim.analyzed(session, UnresolvedTables(qualified(session), statement)) match {
      case ResolvedTable(catalog, ident, table: LanceSparkTable, _) =>
        new LoadedTable(session, catalog, ident, table)
      case _ =>
        throw SparkShim.analysisException(
          "UNSUPPORTED_FEATURE.TABLE_OPERATION",
          Map("tableName" -> toString, "operation" -> s"$statement, which is for Lance tables"),
          null
        )
    }

  private def qualified(session: SparkSession): Seq[String] =
    within match {
      case Some(c)
          if session.catalog.currentCatalog() != c &&
            SessionShim.catalog(session, name.head).isEmpty && isIn(session, c) =>
        c +: name
      case _ => name
    }

  private def isIn(session: SparkSession, catalog: String): Boolean =
    SessionShim.catalog(session, catalog).exists {
      case tables: TableCatalog =>
        // A catalog may refuse names of so many parts.
        try tables.tableExists(Identifier.of(name.init.toArray, name.last))
        catch { case _: AnalysisException => false }
      case _ => false
    }

  /** The name as SQL has it. */
  override def toString: String = quoteNameParts(name)
}

/** A table that was looked up, at one version.
  *
  * @param catalog that has it
  * @param ident its name there
  */
final private[spark] class LoadedTable(
    session: SparkSession,
    val catalog: TableCatalog,
    val ident: Identifier,
    val spark: LanceSparkTable
) {

  /** The version that was the newest one when it was looked up, unless the name says another. */
  def table: LanceTable = spark.table

  /** Where it is. */
  def location: TableLocation = spark.location

  /** What reads and writes there. */
  def store: FileStore = location.store

  /** The branch; none: the main one. */
  def branch: Option[String] = table.manifest.branch

  /** The folder of the whole table, whatever the branch. */
  def root: String = spark.home.path

  /** This very version. */
  def revision: Revision = Revision.OnBranch(branch.getOrElse("main"), Some(table.version))

  /** A version of the branch at hand. */
  def revision(version: Long): Revision =
    branch.fold[Revision](Revision.Version(version))(Revision.OnBranch(_, Some(version)))

  /** Tags of the whole table. */
  def tags: Tags = LanceTable.tags(store, root)

  /** Branches of the whole table. */
  def branches: Branches = LanceTable.branches(store, root)

  /** Fails when the name says a version that nothing can be written to: a tag's, or an old one. */
  def checkWritable(): Unit = spark.checkWritable()

  /** The same for a statement that changes its rows: the branch that the session's setting says, made if need be.
    *
    * @throws org.apache.spark.sql.AnalysisException as [[checkWritable]]
    */
  def toChange: LoadedTable =
    new LoadedTable(session, catalog, ident, spark.forWrite(CaseInsensitiveStringMap.empty()))

  /** What the engines of statements take. */
  def job: JobTable = JobTable(session, location, table)

  /** The rows of this very version, with its metadata columns. Without a name: Spark reads the newest version of what
    * has one.
    */
  def rows: DataFrame = Frames.of(session, DataSourceV2Relation.create(spark, None, None))

  /** Refreshes what is cached of the table. Commits do so themselves; this is for changes of tags and branches, and for
    * files that were removed.
    */
  def changed(): Unit = CachedTables.refresh(root)
}
