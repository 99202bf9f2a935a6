// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.sql.types.TimestampType
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.index.spi.NumberKey

class IndexedValuesSuite extends AnyFunSuite {

  test("timestamps in seconds that are at least a time in microseconds") {
    val seconds = LogicalType.Timestamp(LogicalType.Second, None)
    val values = IndexedValues.of(seconds, TimestampType).get
    for (
      (micros, least) <- Seq(
        0L -> 0L,
        1L -> 1L,
        1000000L -> 1L,
        -1L -> 0L,
        -1000000L -> -1L,
        -1000001L -> -1L,
        Long.MaxValue -> 9223372036855L,
        Long.MinValue -> -9223372036854L
      )
    ) {
      val range = values.above(micros, orEqual = true).get.head
      assert(range.low.contains(NumberKey(least)) && range.includesLow, micros)
    }
  }
}
