// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.unsafe.types.{BinaryView, TimestampNanosVal}

/** The getters of a row of column vectors that only some Spark lines have. Spark 4.3 has views of
  * binary values, and timestamps in nanoseconds.
  */
trait RowOfVectors extends VectorRow {
  override def getBinaryView(i: Int): BinaryView = vector(i).getBinaryView(position)

  override def getTimestampNTZNanos(i: Int): TimestampNanosVal =
    vector(i).getTimestampNTZNanos(position)

  override def getTimestampLTZNanos(i: Int): TimestampNanosVal =
    vector(i).getTimestampLTZNanos(position)
}
