// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.write.DataWriter

import io.github.pysparklance.spark.write.steps.{
  CheckedWriter,
  ConstrainedWriter,
  ProjectedWriter,
  RowConstraints
}

/** The steps that a task applies to each row before writing it. Serialized to the executors.
  *
  * @param projection the columns of the table, bound to the input rows; `None` if the rows already
  *   have these columns
  * @param check a condition that each row must satisfy, and its SQL text
  * @param key columns whose values are collected, bound to the table rows
  * @param constraints constraints of the table, bound to its rows
  */
final private[write] case class RowSteps(
    projection: Option[Seq[Expression]] = None,
    check: Option[(Expression, String)] = None,
    key: Seq[Expression] = Nil,
    constraints: RowConstraints = RowConstraints.none
) {

  /** Wraps a writer of table rows as a writer of input rows. */
  def around(writer: LanceDataWriter): DataWriter[InternalRow] = {
    val keyed = if (key.isEmpty) writer else new KeyGatheringWriter(writer, key)
    val constrained =
      if (constraints.isEmpty) keyed else new ConstrainedWriter(keyed, constraints)
    val checked = check.fold(constrained) { case (condition, text) =>
      new CheckedWriter(constrained, condition, text)
    }
    projection.fold(checked)(new ProjectedWriter(checked, _))
  }
}
