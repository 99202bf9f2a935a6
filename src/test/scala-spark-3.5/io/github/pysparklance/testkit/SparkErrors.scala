// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import org.apache.spark.SparkThrowable

/** Hides `SparkThrowable.getCondition`, which is `getErrorClass` before Spark 4.0. */
object SparkErrors {

  /** The condition that Spark's documentation lists the error under. */
  implicit final class Condition(private val error: SparkThrowable) extends AnyVal {
    def condition: String = error.getErrorClass
  }
}
