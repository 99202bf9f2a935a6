// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BasePredicate,
  Cast,
  Coalesce,
  Expression,
  Literal,
  Predicate
}
import org.apache.spark.sql.connector.write.DataWriter
import org.apache.spark.sql.types.{BooleanType, StructType}

import io.github.pysparklance.core.{InvalidRequestException, Printable}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.shim.{Constraints, TableConstraint}

/** The CHECK constraints that a write holds its rows against itself, since Spark does not. Goes to the executors.
  *
  * @param rules conditions bound to the rows, each with the constraint as messages have it
  */
final private[spark] class RowConstraints private (rules: Seq[(Expression, String)])
    extends Serializable {
  @transient private lazy val conditions: Seq[(BasePredicate, String)] =
    rules.map { case (condition, text) =>
      val holds = Predicate.create(condition)
      holds.initialize(0)
      holds -> text
    }

  private[write] def isEmpty: Boolean = rules.isEmpty

  /** Fails at a row that breaks one. */
  def check(row: InternalRow): Unit = conditions.foreach { case (holds, text) =>
    if (!holds.eval(row))
      throw LanceErrors.refused(
        s"a row of the write breaks the constraint $text: nothing was written"
      )
  }
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
        def refuse(why: String) =
          throw new InvalidRequestException(s"the constraint $text is refused, as $why")
        check.problem(columns).foreach(refuse)
        // What is null is no violation.
        val boolean = Cast(check.parsed.fold(refuse, identity), BooleanType)
        val holds = Coalesce(Seq(boolean, Literal.TrueLiteral))
        RowExpressions.condition(columns, holds, text) -> text
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
