// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.command.CommandUtils$;
import scala.collection.immutable.Map;

/**
 * Computes the statistics of `ANALYZE TABLE … FOR COLUMNS`. Spark restricts them to its own
 * packages in Scala, but not in Java.
 */
public final class ColumnStats {
  private ColumnStats() {}

  /** Returns the statistics of the columns of an analyzed plan. Runs a query. */
  public static Map<Attribute, ColumnStat> of(SparkSession session, LogicalPlan columns) {
    return CommandUtils$.MODULE$
        .computeColumnStats(Classic.session(session), columns, columns.output())
        ._2();
  }
}
