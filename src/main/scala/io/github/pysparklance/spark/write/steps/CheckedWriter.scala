// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write.steps

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Predicate}
import org.apache.spark.sql.connector.write.DataWriter

import io.github.pysparklance.spark.common.LanceErrors

/** Fails a write at the first row for which a condition is not true.
  *
  * @param condition condition bound to the rows
  * @param text SQL text of the condition
  */
final private[write] class CheckedWriter(
    inner: DataWriter[InternalRow],
    condition: Expression,
    text: String
) extends WriterAround(inner) {
  private val holds = Predicate.create(condition)
  holds.initialize(0)

  override def write(row: InternalRow): Unit =
    if (holds.eval(row)) inner.write(row)
    else
      throw LanceErrors.rejected(
        s"a row of the write does not fulfil replaceWhere, $text: nothing was written; leave the rows " +
          "that are to stay outside out, or widen the condition"
      )
}
