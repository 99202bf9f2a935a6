// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType

/** Hides `TimeType`, the type of a time of day, which Spark has since 4.1: here there is none. */
trait TimeTypes {

  /** The type of a time of day with that many digits of a second, in versions that have one. */
  def timeType(precision: Int): Option[DataType] = None

  /** Digits of a second, when the type is one of times of day, whose values are nanoseconds. */
  def timePrecision(t: DataType): Option[Int] = None

  /** Whether an expression is the time of day of the statement. */
  def isCurrentTime(e: Expression): Boolean = false
}
