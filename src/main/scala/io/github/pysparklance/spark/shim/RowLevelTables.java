// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.errors.QueryExecutionErrors;

/**
 * Accesses the table of a row-level command, analyzed plans, and errors, which Spark restricts to
 * its own packages.
 */
public final class RowLevelTables {
  private RowLevelTables() {}

  /** Returns whether a table is the target of a row-level operation. */
  public static boolean isTarget(Table table, RowLevelOperation operation) {
    return table instanceof RowLevelOperationTable
        && ((RowLevelOperationTable) table).operation() == operation;
  }

  /** Returns the table that a relation reads, which is another one in row-level commands. */
  public static Table read(Table table) {
    return table instanceof RowLevelOperationTable
        ? (Table) ((RowLevelOperationTable) table).table()
        : table;
  }

  /** Returns the target of a row-level command with another operation. */
  public static Table withOperation(Table table, RowLevelOperation operation) {
    return new RowLevelOperationTable(((RowLevelOperationTable) table).table(), operation);
  }

  /** Returns Spark's error for a MERGE that changes a row more than once. */
  public static RuntimeException mergeCardinalityViolation() {
    return QueryExecutionErrors.mergeCardinalityViolationError();
  }

  /**
   * Marks a plan that was derived from an analyzed plan, so that Spark does not analyze it again.
   */
  public static void markAnalyzed(LogicalPlan plan) {
    plan.setAnalyzed();
  }
}
