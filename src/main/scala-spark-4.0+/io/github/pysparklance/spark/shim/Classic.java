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

  static org.apache.spark.sql.classic.SparkSession session(SparkSession session) {
    if (session instanceof org.apache.spark.sql.classic.SparkSession)
      return (org.apache.spark.sql.classic.SparkSession) session;
    throw new IllegalStateException("a session of " + session.getClass().getName());
  }

  static <T> org.apache.spark.sql.classic.Dataset<T> frame(Dataset<T> frame) {
    return (org.apache.spark.sql.classic.Dataset<T>) frame;
  }

  static Dataset<Row> frame(SparkSession session, LogicalPlan plan) {
    return org.apache.spark.sql.classic.Dataset.ofRows(session(session), plan);
  }

  static Option<CachedData> lookUpCached(SparkSession session, LogicalPlan plan) {
    org.apache.spark.sql.classic.SparkSession classic = session(session);
    return classic.sharedState().cacheManager().lookupCachedData(classic, plan);
  }
}
