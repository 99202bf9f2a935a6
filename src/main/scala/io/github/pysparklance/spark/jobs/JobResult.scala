// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

/** What a statement or procedure shows of a job that is done: one row. The names of the columns are those that
  * pylance's statistics have.
  */
private[spark] trait JobResult {

  /** The columns. */
  def schema: StructType

  /** Their values. */
  def row: Row
}
