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
 * What `ANALYZE TABLE … FOR COLUMNS` finds out. Spark keeps it to its own Scala packages, not to Java: hence the
 * language of this file.
 */
public final class ColumnStats {
  private ColumnStats() {}

  /** The statistics of the columns of an analyzed plan. Runs a query. */
  public static Map<Attribute, ColumnStat> of(SparkSession session, LogicalPlan columns) {
    return CommandUtils$.MODULE$
        .computeColumnStats(Classic.session(session), columns, columns.output())
        ._2();
  }
}
