// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.catalyst.expressions.{And, Expression, Literal}
import org.apache.spark.sql.connector.expressions.filter.Predicate

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.shim.SparkShim

/** How a write treats existing rows. */
sealed private[spark] trait WriteMode

/** The modes. */
private[spark] object WriteMode {

  /** Keeps all rows. */
  case object Append extends WriteMode

  /** Replaces all rows. */
  case object Replace extends WriteMode

  /** Replaces the rows for which a condition is true.
    *
    * @param condition condition on columns of the table by name
    * @param check SQL text of the condition if new rows must satisfy it as well
    */
  final case class ReplaceWhere(condition: Expression, check: Option[String]) extends WriteMode

  /** Replaces the rows whose clustering key equals the key of a new row. */
  case object ReplaceKeys extends WriteMode

  /** Returns the mode of an overwrite with conditions that must all be true.
    *
    * @return `None` if a condition cannot be evaluated
    */
  def where(predicates: Array[Predicate]): Option[WriteMode] = {
    val conditions = predicates.toSeq.map(SparkShim.expression(_))
    if (conditions.exists(_.isEmpty)) None
    else
      conditions.flatten.reduceOption(And(_, _)) match {
        case None | Some(Literal.TrueLiteral) => Some(Replace)
        case Some(condition) => Some(ReplaceWhere(condition, None))
      }
  }

  /** Returns the mode of a write with the options `replaceWhere` and `partitionOverwriteMode`.
    *
    * @param requested mode that Spark requests
    * @throws InvalidRequestException if options contradict each other, or an append
    */
  def apply(requested: WriteMode, options: WriteOptions): WriteMode =
    (requested, options.replaceWhere, options.replaceKeys) match {
      case (mode, None, false) => mode
      case (_, Some(_), true) =>
        invalid("the options replaceWhere and partitionOverwriteMode dynamic cannot be combined")
      case (Replace, Some((condition, text)), _) => ReplaceWhere(condition, Some(text))
      case (Replace | ReplaceKeys, None, true) => ReplaceKeys
      case (_, Some(_), _) => invalid("option replaceWhere requires mode overwrite")
      // A session may set this for all its writes.
      case (mode, None, true) => mode
    }

  private def invalid(problem: String): Nothing = throw new InvalidRequestException(problem)
}
