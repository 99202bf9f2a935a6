// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import io.github.pysparklance.spark.write.steps.{
  CheckedWriter,
  ConstrainedWriter,
  ProjectedWriter,
  RowConstraints
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.write.DataWriter

/** What happens to each row of a task before it is written. Goes to the executors.
  *
  * @param projection the columns of the table, bound to the rows that come; none when those are the table's
  * @param check a condition on the columns of the table that each row has to fulfil, and how the user wrote it
  * @param key columns of the table whose values are noted, bound to its rows
  * @param constraints of the table, bound to its rows
  */
final private[write] case class RowSteps(
    projection: Option[Seq[Expression]] = None,
    check: Option[(Expression, String)] = None,
    key: Seq[Expression] = Nil,
    constraints: RowConstraints = RowConstraints.none
) {

  /** A writer of the rows as they come, around one of the table's. */
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
