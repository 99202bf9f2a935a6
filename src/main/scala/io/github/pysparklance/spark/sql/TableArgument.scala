// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.{AnalysisException, SparkSession}

import io.github.pysparklance.spark.catalog.LanceSparkTable
import io.github.pysparklance.spark.common.{LanceErrors, ViewContext}
import io.github.pysparklance.spark.shim.SessionShim

/** Resolves the argument of a table function that names a table or gives its path. A path contains
  * a slash and no backquote.
  */
private[spark] object TableArgument {

  /** Loads the table.
    *
    * @param text name or path, such as `db.t`, `lance.db.t.branch_x`, `/data/t.lance`, or
    *   `s3a://bucket/t.lance`
    * @param function name of the function, for errors
    * @throws org.apache.spark.sql.AnalysisException if the table does not exist, or is not a Lance
    *   table
    */
  def load(session: SparkSession, text: String, function: String): LoadedTable = {
    val name =
      if (isPath(text)) Seq(pathCatalog, text)
      else {
        val parts = SessionShim.parser(session).parseMultipartIdentifier(text)
        ViewContext.current.complete(session, parts)
      }
    byCatalog(session, name).getOrElse {
      try TableTarget(name).load(session, function)
      catch {
        case _: AnalysisException if isPath(text) && !exists(session, text) =>
          throw LanceErrors.pathNotFound(text)
      }
    }
  }

  /** Loads the table with a qualified name without an analysis by Spark, which takes much longer.
    * Returns `None` if the name has no catalog, or if that fails.
    */
  private def byCatalog(session: SparkSession, name: Seq[String]): Option[LoadedTable] =
    if (name.length < 2) None
    else
      SessionShim.catalog(session, name.head).flatMap {
        case tables: TableCatalog =>
          val ident = Identifier.of(name.slice(1, name.length - 1).toArray, name.last)
          try
            tables.loadTable(ident) match {
              case table: LanceSparkTable => Some(new LoadedTable(session, tables, ident, table))
              case _ => None
            }
          catch { case _: AnalysisException => None }
        case _ => None
      }

  private def exists(session: SparkSession, path: String): Boolean =
    SessionShim.catalog(session, pathCatalog).forall {
      case tables: TableCatalog =>
        tables.tableExists(Identifier.of(Array.empty[String], path))
      case _ => true
    }

  /** Whether a text is the path of a table instead of a name. */
  private def isPath(text: String): Boolean = text.contains("/") && !text.contains("`")

  /** The default catalog of the SQL extension. */
  private val pathCatalog = "lance"
}
