// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

/** Hides the names of error conditions that Spark 4.0 renamed. */
private[shim] object ErrorConditions {
  private val renamed = Map("FIELD_ALREADY_EXISTS" -> "FIELDS_ALREADY_EXISTS")

  /** Returns the name of a condition on this line.
    *
    * @param condition the name since Spark 4.0
    */
  def name(condition: String): String = renamed.getOrElse(condition, condition)
}
