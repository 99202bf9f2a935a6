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
  def load(session: SparkSession, text: String, function: String): LoadedTable =
    if (isPath(text))
      byPath(session, text).getOrElse {
        try TableTarget(Seq(pathCatalog, text)).load(session, function)
        catch {
          case _: AnalysisException if !exists(session, text) =>
            throw LanceErrors.pathNotFound(text)
        }
      }
    else {
      val name = SessionShim.parser(session).parseMultipartIdentifier(text)
      TableTarget(ViewContext.current.complete(session, name)).load(session, function)
    }

  /** Loads a table without an analysis by Spark; `None` if that fails. */
  private def byPath(session: SparkSession, path: String): Option[LoadedTable] =
    SessionShim.catalog(session, pathCatalog).flatMap {
      case tables: TableCatalog =>
        try
          tables.loadTable(identifier(path)) match {
            case table: LanceSparkTable =>
              Some(new LoadedTable(session, tables, identifier(path), table))
            case _ => None
          }
        catch { case _: AnalysisException => None }
      case _ => None
    }

  private def exists(session: SparkSession, path: String): Boolean =
    SessionShim.catalog(session, pathCatalog).forall {
      case tables: TableCatalog => tables.tableExists(identifier(path))
      case _ => true
    }

  private def identifier(path: String): Identifier = Identifier.of(Array.empty[String], path)

  /** Whether a text is the path of a table instead of a name. */
  private def isPath(text: String): Boolean = text.contains("/") && !text.contains("`")

  /** The default catalog of the SQL extension. */
  private val pathCatalog = "lance"
}
