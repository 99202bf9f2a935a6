// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.{AnalysisException, SparkSession}

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
      try TableTarget(Seq(pathCatalog, text)).load(session, function)
      catch {
        case _: AnalysisException if !exists(session, text) => throw LanceErrors.pathNotFound(text)
      }
    else {
      val name = SessionShim.parser(session).parseMultipartIdentifier(text)
      TableTarget(ViewContext.current.complete(session, name)).load(session, function)
    }

  private def exists(session: SparkSession, path: String): Boolean =
    SessionShim.catalog(session, pathCatalog).forall {
      case tables: TableCatalog => tables.tableExists(Identifier.of(Array.empty[String], path))
      case _ => true
    }

  /** Whether a text is the path of a table instead of a name. */
  private def isPath(text: String): Boolean = text.contains("/") && !text.contains("`")

  /** The default catalog of the SQL extension. */
  private val pathCatalog = "lance"
}
