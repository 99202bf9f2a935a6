// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write.steps

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, Predicate}
import org.apache.spark.sql.connector.write.DataWriter
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{InvalidRequestException, Printable}
import io.github.pysparklance.spark.shim.{Constraints, TableConstraint}

/** The CHECK constraints that the connector checks, in Spark lines that do not. Serialized to the
  * executors.
  *
  * @param rules conditions bound to the rows; each throws if a row violates it
  */
final private[spark] class RowConstraints private (rules: Seq[Expression]) extends Serializable {
  @transient private lazy val conditions: Seq[BasePredicate] = rules.map { rule =>
    val holds = Predicate.create(rule)
    holds.initialize(0)
    holds
  }

  private[write] def isEmpty: Boolean = rules.isEmpty

  /** Throws if the row violates a constraint. */
  def check(row: InternalRow): Unit = conditions.foreach(_.eval(row))
}

/** Creates constraints. */
private[spark] object RowConstraints {

  /** No constraints. */
  val none: RowConstraints = new RowConstraints(Nil)

  /** Returns the constraints that Spark does not check in batch writes.
    *
    * @param properties table properties
    * @param columns columns of the rows
    * @throws InvalidRequestException if a condition cannot be evaluated
    */
  def apply(properties: Map[String, String], columns: StructType): RowConstraints =
    if (Constraints.areEnforcedBySpark) none else all(properties, columns)

  /** Returns all constraints of a table, see [[apply]]. */
  def all(properties: Map[String, String], columns: StructType): RowConstraints =
    new RowConstraints(TableConstraint.checks(properties).map { check =>
      val text = Printable.line(s"${check.name}, CHECK (${check.sql})")
      def reject(why: String): Unit =
        throw new InvalidRequestException(s"the constraint $text cannot be checked: $why")
      check.problem(columns).foreach(reject)
      RowExpressions.condition(columns, Constraints.invariant(check), text)
    })
}

/** Fails a write at the first row that violates a constraint. */
final private[write] class ConstrainedWriter(
    inner: DataWriter[InternalRow],
    constraints: RowConstraints
) extends WriterAround(inner) {
  override def write(row: InternalRow): Unit = {
    constraints.check(row)
    inner.write(row)
  }
}
