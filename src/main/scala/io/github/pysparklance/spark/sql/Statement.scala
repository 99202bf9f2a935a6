// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The grammar of a statement that Spark does not support. No two statements have the same first
  * words.
  */
private[spark] trait Statement {

  /** The syntax in one line. */
  def usage: String

  /** Whether the first words identify this statement, even if the rest is invalid. */
  def begins(cursor: Cursor): Boolean

  /** Parses the statement. The caller checks that the text ends after it.
    *
    * @throws org.apache.spark.sql.catalyst.parser.ParseException if it is invalid
    */
  def parse(cursor: Cursor): LogicalPlan
}
