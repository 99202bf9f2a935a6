// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

/** Rules that run before Spark resolves tables and columns. Hides `injectHintResolutionRule`, which
  * Spark has since 4.0.
  */
private[spark] object EarlyRules {
  type Builder = SparkSession => Rule[LogicalPlan]

  /** Adds rules, which run in the given order. */
  def inject(extensions: SparkSessionExtensions, rules: Builder*): Unit =
    rules.foreach(extensions.injectHintResolutionRule)
}
