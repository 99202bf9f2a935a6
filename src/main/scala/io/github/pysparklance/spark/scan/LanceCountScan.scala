// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.types.{LongType, StructType}

/** Returns `COUNT(*)` from the manifest as a single row, without tasks.
  *
  * @param columns how often the query contains the count
  */
final class LanceCountScan(path: String, version: Long, columns: Int, count: Long)
    extends LocalScan {
  override def readSchema(): StructType =
    (0 until columns).foldLeft(new StructType) { (schema, i) =>
      schema.add(s"count(*)_$i", LongType, nullable = false)
    }

  override def rows(): Array[InternalRow] =
    Array(InternalRow.fromSeq(Seq.fill(columns)(count)))

  override def description(): String = s"lance $path version $version, rows counted by the manifest"
}

/** Reads a table that was declared but not written. */
final class EmptyScan(path: String, schema: StructType) extends LocalScan {
  override def readSchema(): StructType = schema
  override def rows(): Array[InternalRow] = Array.empty
  override def description(): String = s"lance $path, not written yet"
}
