// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.jobs

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

/** The result of a job as the single row that a statement or procedure returns. The columns have
  * the names of pylance's statistics.
  */
private[spark] trait JobResult {

  /** The columns of the row. */
  def schema: StructType

  /** The row. */
  def row: Row
}
