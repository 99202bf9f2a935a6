// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSessionExtensions

import io.github.pysparklance.spark.shim.{EarlyRules, ParseBoundStatements}

/** The rules that only some Spark lines need. */
private[spark] object LineRules {

  /** Rules that run before Spark resolves tables and columns. */
  val early: Seq[EarlyRules.Builder] = Seq(_ => FillDefaults.Hold)

  /** Adds all other rules. */
  def inject(extensions: SparkSessionExtensions): Unit = {
    extensions.injectResolutionRule(_ => ParseBoundStatements)
    extensions.injectResolutionRule(_ => FillDefaults)
    extensions.injectResolutionRule(_ => RewriteEarly)
    extensions.injectPlanNormalizationRule(_ => ReadLatest)
  }
}
