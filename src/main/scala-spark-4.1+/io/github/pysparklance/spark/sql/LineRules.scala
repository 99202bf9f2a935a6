// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSessionExtensions

import io.github.pysparklance.spark.shim.EarlyRules

/** The rules that only some versions of Spark need; none here. */
private[spark] object LineRules {

  /** Rules that run before Spark resolves tables and columns. */
  val early: Seq[EarlyRules.Builder] = Nil

  /** Adds the others. */
  def inject(extensions: SparkSessionExtensions): Unit = ()
}
