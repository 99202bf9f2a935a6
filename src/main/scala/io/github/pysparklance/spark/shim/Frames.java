// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * Converts between data frames and plans. Spark restricts the conversion to its own packages in
 * Scala, but not in Java.
 */
public final class Frames {
  private Frames() {}

  /** Returns the data frame of a plan. */
  public static Dataset<Row> of(SparkSession session, LogicalPlan plan) {
    return Classic.frame(session, plan);
  }

  /** Returns the analyzed plan of a data frame. */
  public static LogicalPlan plan(Dataset<Row> frame) {
    return Classic.frame(frame).queryExecution().analyzed();
  }

  /**
   * Returns the rows of a data frame in Spark's internal representation. The iterator may reuse a
   * row object.
   */
  public static RDD<InternalRow> rows(Dataset<Row> frame) {
    return Classic.frame(frame).queryExecution().toRdd();
  }
}
