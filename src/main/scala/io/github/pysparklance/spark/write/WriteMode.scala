// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.catalyst.expressions.{And, Expression, Literal}
import org.apache.spark.sql.connector.expressions.filter.Predicate

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.spark.shim.SparkShim

/** What becomes of the rows that are there. */
sealed private[spark] trait WriteMode

private[spark] object WriteMode {

  /** They stay. */
  case object Append extends WriteMode

  /** All of them go. */
  case object Replace extends WriteMode

  /** Those go for which a condition is true.
    *
    * @param condition on columns of the table by name
    * @param check how the user wrote it, when the new rows have to fulfil it as well
    */
  final case class ReplaceWhere(condition: Expression, check: Option[String]) extends WriteMode

  /** Those go that have a value in the columns of the clustering key which new rows have, too. */
  case object ReplaceKeys extends WriteMode

  /** What an overwrite by conditions does, all of which have to be true.
    *
    * @return none when one of them cannot be evaluated
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

  /** What an overwrite does in view of the options `replaceWhere` and `partitionOverwriteMode`.
    *
    * @param asked what Spark asks for
    * @throws InvalidRequestException when options do not go with one another, or with an append
    */
  def apply(asked: WriteMode, options: WriteOptions): WriteMode =
    (asked, options.replaceWhere, options.replaceKeys) match {
      case (mode, None, false) => mode
      case (_, Some(_), true) =>
        invalid("the options replaceWhere and partitionOverwriteMode dynamic do not go together")
      case (Replace, Some((condition, text)), _) => ReplaceWhere(condition, Some(text))
      case (Replace | ReplaceKeys, None, true) => ReplaceKeys
      case (_, Some(_), _) => invalid("option replaceWhere goes with mode overwrite only")
      // A session may set this for all its writes.
      case (mode, None, true) => mode
    }

  private def invalid(problem: String): Nothing = throw new InvalidRequestException(problem)
}
