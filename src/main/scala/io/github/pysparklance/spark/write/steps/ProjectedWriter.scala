// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write.steps

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection}
import org.apache.spark.sql.connector.write.DataWriter

/** Projects rows to the columns of the table, in its order and with its types. Missing columns get
  * their default or null.
  *
  * @param columns columns of the table, bound to the input rows
  */
final private[write] class ProjectedWriter(
    inner: DataWriter[InternalRow],
    columns: Seq[Expression]
) extends WriterAround(inner) {
  private val projection = UnsafeProjection.create(columns)

  override def write(row: InternalRow): Unit = inner.write(projection(row))
}
