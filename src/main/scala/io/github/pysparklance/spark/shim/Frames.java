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
 * Between frames and plans. Spark keeps the way from a plan to a frame to its own Scala packages, not to Java: hence
 * the language of this file.
 */
public final class Frames {
  private Frames() {}

  /** The frame of a plan, analysed. */
  public static Dataset<Row> of(SparkSession session, LogicalPlan plan) {
    return Classic.frame(session, plan);
  }

  /** The analysed plan of a frame. */
  public static LogicalPlan plan(Dataset<Row> frame) {
    return Classic.frame(frame).queryExecution().analyzed();
  }

  /** The rows of a frame as Spark has them; one object may stand for one row after the other. */
  public static RDD<InternalRow> rows(Dataset<Row> frame) {
    return Classic.frame(frame).queryExecution().toRdd();
  }
}
