// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** The grammar of a statement that Spark does not have. No two begin alike. */
private[spark] trait Statement {

  /** How it is written, in one line. */
  def usage: String

  /** Whether the first words say that it is this statement, right or wrong. */
  def begins(cursor: Cursor): Boolean

  /** Reads it up to its end, which the caller checks.
    *
    * @throws org.apache.spark.sql.catalyst.parser.ParseException when it is wrong
    */
  def parse(cursor: Cursor): LogicalPlan
}
