// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.unsafe.types.BinaryView

/** The getters of a row of column vectors that only some Spark lines have. Spark 4.2 has views of
  * binary values.
  */
trait RowOfVectors extends VectorRow {
  override def getBinaryView(i: Int): BinaryView = vector(i).getBinaryView(position)
}
