// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write.steps

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, Predicate}
import org.apache.spark.sql.connector.write.DataWriter
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.{InvalidRequestException, Printable}
import io.github.pysparklance.spark.shim.{Constraints, TableConstraint}

/** The CHECK constraints that a write holds its rows against itself, since Spark does not. Goes to the executors.
  *
  * @param rules bound to the rows; each fails at a row that breaks its constraint
  */
final private[spark] class RowConstraints private (rules: Seq[Expression]) extends Serializable {
  @transient private lazy val conditions: Seq[BasePredicate] = rules.map { rule =>
    val holds = Predicate.create(rule)
    holds.initialize(0)
    holds
  }

  private[write] def isEmpty: Boolean = rules.isEmpty

  /** Fails at a row that breaks one. */
  def check(row: InternalRow): Unit = conditions.foreach(_.eval(row))
}

private[spark] object RowConstraints {

  /** None. */
  val none: RowConstraints = new RowConstraints(Nil)

  /** @param properties of the table
    * @param columns of the rows
    * @throws InvalidRequestException when a condition cannot be evaluated
    */
  def apply(properties: Map[String, String], columns: StructType): RowConstraints =
    if (Constraints.areEnforcedBySpark) none
    else
      new RowConstraints(TableConstraint.checks(properties).map { check =>
        val text = Printable.line(s"${check.name}, CHECK (${check.sql})")
        def refuse(why: String): Unit =
          throw new InvalidRequestException(s"the constraint $text is refused, as $why")
        check.problem(columns).foreach(refuse)
        RowExpressions.condition(columns, Constraints.invariant(check), text)
      })
}

/** Fails a write at the first row that breaks a constraint. */
final private[write] class ConstrainedWriter(
    inner: DataWriter[InternalRow],
    constraints: RowConstraints
) extends WriterAround(inner) {
  override def write(row: InternalRow): Unit = {
    constraints.check(row)
    inner.write(row)
  }
}
