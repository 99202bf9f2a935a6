// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.CachedData;
import scala.Option;

/**
 * Hides the classes of a session on the driver. Since Spark 4.0 they are in the package `classic`,
 * and implement interfaces that they share with Spark Connect.
 */
final class Classic {
  private Classic() {}

  static SparkSession session(SparkSession session) {
    return session;
  }

  static <T> Dataset<T> frame(Dataset<T> frame) {
    return frame;
  }

  static Dataset<Row> frame(SparkSession session, LogicalPlan plan) {
    return Dataset.ofRows(session, plan);
  }

  static Option<CachedData> lookUpCached(SparkSession session, LogicalPlan plan) {
    return session.sharedState().cacheManager().lookupCachedData(plan);
  }
}
