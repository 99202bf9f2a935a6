// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnVector

/** A row whose values lie in vectors: the methods that only some lines of Spark have. Spark 4.0 has none. */
trait RowOfVectors extends InternalRow {

  /** The vector of a column. */
  protected def vector(i: Int): ColumnVector

  /** The position of the row in the vectors. */
  protected def position: Int
}
