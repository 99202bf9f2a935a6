// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import io.github.pysparklance.spark.shim.SessionShim

/** Adds optimizer rules that need planned scans to a session. Extensions can only inject rules
  * before the optimizer plans scans. These rules are therefore added to the session's own list,
  * which runs last. This rule runs before each optimization.
  */
private[spark] class LateRules(session: SparkSession, rules: Seq[Rule[LogicalPlan]])
    extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    SessionShim.addOptimizations(session, rules)
    plan
  }
}
