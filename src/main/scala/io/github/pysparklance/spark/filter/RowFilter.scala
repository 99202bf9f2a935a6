// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  EqualNullSafe,
  EqualTo,
  Expression,
  In,
  InSet,
  Or
}

import io.github.pysparklance.core.{Column, Field}
import io.github.pysparklance.spark.types.TypeOptions
import io.github.pysparklance.spark.vectors.BatchVectors
import io.github.pysparklance.table.scan.{ComputedColumn, RowPredicate}

/** A condition on rows, which is serialized to tasks.
  *
  * @param fields columns of the condition, pruned to the required fields
  * @param computed computed columns of the condition; they follow the fields
  * @param expression condition over rows of these columns
  * @param sql SQL text of the condition, for display
  */
final private[spark] case class RowFilter(
    fields: IndexedSeq[Field],
    computed: IndexedSeq[ComputedColumn],
    expression: Expression,
    sql: String
) {

  /** Estimates the selectivity from the form of the condition. Equality and `IN` are assumed to
    * match few rows.
    */
  def guessedShare: Double = RowFilter.guessedShare(expression)

  /** Returns the condition for evaluation in one thread. */
  def evaluator(types: TypeOptions): RowPredicate = new RowFilter.Evaluator(this, types)
}

/** Creates filters. */
private[spark] object RowFilter {

  /** @param fields fields of the table
    * @param columns paths of the columns in `expression`
    * @param expression condition over the attributes of `columns`
    */
  def apply(
      fields: IndexedSeq[Field],
      columns: Seq[(Seq[String], AttributeReference)],
      expression: Expression,
      types: TypeOptions
  ): RowFilter = {
    val bound = BoundColumns(fields, columns, Seq(expression), types)
    RowFilter(bound.fields, bound.computed, bound.expressions.head, expression.sql)
  }

  /** The assumed selectivity of an equality. */
  private val equalShare = 0.05

  private def guessedShare(condition: Expression): Double = condition match {
    case And(left, right) => math.min(guessedShare(left), guessedShare(right))
    case Or(left, right) => math.min(1.0, guessedShare(left) + guessedShare(right))
    case _: EqualTo | _: EqualNullSafe | _: In | _: InSet => equalShare
    case _ => 1.0
  }

  /** Hot code. */
  final private class Evaluator(filter: RowFilter, types: TypeOptions) extends RowPredicate {
    private val vectorsOf = new BatchVectors(filter.fields, filter.computed, types)
    private val tests = RowTest.of(filter.expression)
    private var every = Array.emptyIntArray
    private var found = Array.emptyIntArray

    def fields: IndexedSeq[Field] = filter.fields

    def computed: IndexedSeq[ComputedColumn] = filter.computed

    def select(columns: IndexedSeq[Column], live: Array[Int], numLive: Int): Array[Int] = {
      val vectors = vectorsOf(columns)
      if (found.length < numLive) {
        found = new Array[Int](numLive)
        every = Array.range(0, numLive)
      }
      var left = if (live == null) every else live
      var n = numLive
      var t = 0
      while (t < tests.length && n > 0) {
        n = tests(t).select(vectors, left, n, found)
        left = found
        t += 1
      }
      if (n == numLive) live else java.util.Arrays.copyOf(found, n)
    }
  }
}
