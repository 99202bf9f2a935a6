// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSessionExtensions

import io.github.pysparklance.spark.shim.EarlyRules

/** The rules that only some Spark lines need. Here, none are needed. */
private[spark] object LineRules {

  /** Rules that run before Spark resolves tables and columns. */
  val early: Seq[EarlyRules.Builder] = Nil

  /** Adds all other rules. */
  def inject(extensions: SparkSessionExtensions): Unit = ()
}
