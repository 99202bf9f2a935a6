// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors
package io.github.pysparklance.benchmarks.floor;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.StructType;

/** Rows as batches of Spark's own vectors. Written in Java, which can call the converter that only
 * Spark's packages can call in Scala.
 */
final class Vectors {
  private Vectors() {}

  /** Vectors of one batch, one a column, and how many rows they hold. */
  record Rows(OnHeapColumnVector[] columns, int numRows) {}

  /** All rows in batches of {@code batchRows}, but the last; of these the vectors of the first
   * {@code keep} only.
   */
  static List<Rows> of(Iterator<InternalRow> rows, StructType schema, int batchRows, int keep) {
    RowToColumnConverter converter = new RowToColumnConverter(schema);
    List<Rows> batches = new ArrayList<>();
    while (rows.hasNext()) {
      boolean kept = batches.size() < keep;
      OnHeapColumnVector[] columns =
          kept ? OnHeapColumnVector.allocateColumns(batchRows, schema) : new OnHeapColumnVector[0];
      int n = 0;
      while (n < batchRows && rows.hasNext()) {
        InternalRow row = rows.next();
        if (kept) converter.convert(row, columns);
        n++;
      }
      batches.add(new Rows(columns, n));
    }
    return batches;
  }
}
