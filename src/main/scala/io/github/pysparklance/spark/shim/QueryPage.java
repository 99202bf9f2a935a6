// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim;

import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkPlanInfo;
import org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate;

/** Accesses the UI page of a running query, which Spark restricts to its own packages. */
final class QueryPage {
  private QueryPage() {}

  /**
   * Replaces the plan on the page, with its metrics.
   *
   * @param text the plan as text
   */
  static void show(SparkContext context, long executionId, String text, SparkPlan plan) {
    SparkPlanInfo info = SparkPlanInfo.fromSparkPlan(plan);
    context.listenerBus().post(new SparkListenerSQLAdaptiveExecutionUpdate(executionId, text, info));
  }
}
