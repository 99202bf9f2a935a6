// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.{CurrentTime, Expression}
import org.apache.spark.sql.types.{DataType, TimeType}

/** Hides `TimeType`, the type of a time of day, which Spark has since 4.1. */
trait TimeTypes {

  /** Returns the type of a time of day with fractional digits of a second, if Spark has one. */
  def timeType(precision: Int): Option[DataType] = Some(TimeType(precision))

  /** Returns the fractional digits of a time type, whose values are in nanoseconds, or `None` for
    * other types.
    */
  def timePrecision(t: DataType): Option[Int] = t match {
    case time: TimeType => Some(time.precision)
    case _ => None
  }

  /** Whether an expression is the current time of day. */
  def isCurrentTime(e: Expression): Boolean = e.isInstanceOf[CurrentTime]
}
