// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnVector

/** A row with its values in column vectors. */
trait VectorRow extends InternalRow {

  /** The vector of a column. */
  protected def vector(i: Int): ColumnVector

  /** The position of the row in the vectors. */
  protected def position: Int
}
