// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSession

import io.github.pysparklance.spark.shim.SessionShim

/** The table that a text argument of a table function names: by its name, or by its path, which has a slash at its beginning
  * or a scheme.
  */
private[spark] object TableArgument {

  /** The table.
    *
    * @param text such as `db.t`, `lance.db.t.branch_x`, `/data/t.lance`, or `s3a://bucket/t.lance`
    */
  def apply(session: SparkSession, text: String): TableTarget =
    TableTarget(
      if (isPath(text)) Seq(pathCatalog, text)
      else SessionShim.parser(session).parseMultipartIdentifier(text)
    )

  /** Whether a text is the path of a table rather than a name. */
  def isPath(text: String): Boolean =
    text.startsWith("/") || text.matches("[A-Za-z][A-Za-z0-9+.-]*:/.*")

  /** The catalog that the SQL extension provides. */
  private val pathCatalog = "lance"
}
