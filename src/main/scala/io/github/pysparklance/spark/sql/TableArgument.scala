// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSession

import io.github.pysparklance.spark.shim.SessionShim

/** Resolves the argument of a table function that names a table or gives its path. A path contains
  * a slash and no backquote.
  */
private[spark] object TableArgument {

  /** Returns the table.
    *
    * @param text name or path, such as `db.t`, `lance.db.t.branch_x`, `/data/t.lance`, or
    *   `s3a://bucket/t.lance`
    */
  def apply(session: SparkSession, text: String): TableTarget =
    TableTarget(
      if (isPath(text)) Seq(pathCatalog, text)
      else SessionShim.parser(session).parseMultipartIdentifier(text)
    )

  /** Whether a text is the path of a table instead of a name. */
  def isPath(text: String): Boolean = text.contains("/") && !text.contains("`")

  /** The default catalog of the SQL extension. */
  private val pathCatalog = "lance"
}
