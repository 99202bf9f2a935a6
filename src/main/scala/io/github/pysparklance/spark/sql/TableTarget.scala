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

/** The table of a statement. It is resolved when the statement runs, like in Spark's own
  * statements. The name can be in the current namespace or in any catalog. It can be a path, and
  * have a selector such as `t.branch_x`.
  *
  * @param name parts of the name
  * @param within catalog of the procedure. A name without a catalog is first resolved in its root
  *   namespace. If it is the current catalog, the current namespace is used as in all statements
  */
final private[spark] case class TableTarget(name: Seq[String], within: Option[String] = None) {

  /** Loads the table.
    *
    * @param statement name of the statement for errors, such as `OPTIMIZE`
    * @throws org.apache.spark.sql.AnalysisException if the table does not exist, or is not a Lance
    *   table
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
        // A catalog may reject names with this number of parts.
        try tables.tableExists(Identifier.of(name.init.toArray, name.last))
        catch { case _: AnalysisException => false }
      case _ => false
    }

  /** The name in SQL. */
  override def toString: String = quoteNameParts(name)
}

/** A loaded version of a table.
  *
  * @param catalog catalog of the table
  * @param ident identifier in the catalog
  */
final private[spark] class LoadedTable(
    session: SparkSession,
    val catalog: TableCatalog,
    val ident: Identifier,
    val spark: LanceSparkTable
) {

  /** The loaded version: the latest, unless the name selects another. */
  def table: LanceTable = spark.table

  /** The location of the table or branch. */
  def location: TableLocation = spark.location

  /** The file store of the location. */
  def store: FileStore = location.store

  /** The branch; `None` for the main branch. */
  def branch: Option[String] = table.manifest.branch

  /** The folder of the table, independent of the branch. */
  def root: String = spark.home.path

  /** The revision of this version. */
  def revision: Revision = Revision.OnBranch(branch.getOrElse("main"), Some(table.version))

  /** Returns the revision of a version of the same branch. */
  def revision(version: Long): Revision =
    branch.fold[Revision](Revision.Version(version))(Revision.OnBranch(_, Some(version)))

  /** Tags of the table. */
  def tags: Tags = LanceTable.tags(store, root)

  /** Branches of the table. */
  def branches: Branches = LanceTable.branches(store, root)

  /** Rejects versions that cannot be written: tags and old versions. */
  def checkWritable(): Unit = spark.checkWritable()

  /** Returns the table for a statement that changes rows. If the session has a WAP branch, this is
    * the branch, which is created if needed.
    *
    * @throws org.apache.spark.sql.AnalysisException as [[checkWritable]]
    */
  def toChange: LoadedTable =
    new LoadedTable(session, catalog, ident, spark.forWrite(CaseInsensitiveStringMap.empty()))

  /** The table as input of jobs. */
  def job: JobTable = JobTable(session, location, table)

  /** The rows of this version, with its metadata columns. The relation has no name, because Spark
    * would load the latest version of a named table.
    */
  def rows: DataFrame = Frames.of(session, DataSourceV2Relation.create(spark, None, None))

  /** Refreshes cached data of the table. Commits do so themselves. Used after changes of tags and
    * branches, and after removing files.
    */
  def changed(): Unit = CachedTables.refresh(root)
}
