// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write.steps

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection}
import org.apache.spark.sql.connector.write.DataWriter

/** Gives rows the columns of the table: in its order, with its types, with defaults or nulls for those they lack.
  *
  * @param columns the table's, bound to the rows that come
  */
final private[write] class ProjectedWriter(
    inner: DataWriter[InternalRow],
    columns: Seq[Expression]
) extends WriterAround(inner) {
  private val projection = UnsafeProjection.create(columns)

  override def write(row: InternalRow): Unit = inner.write(projection(row))
}
