// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.index.spi.IndexPredicate

/** A condition on the values of rows, as far as indices may answer it. */
sealed trait IndexCondition

object IndexCondition {

  /** A predicate on the values of one field.
    *
    * @param fieldId of the leaf, or of the list if the predicate is on lists
    * @param valueType of the values, or of the elements of the list
    */
  final case class Test(fieldId: Int, valueType: LogicalType, predicate: IndexPredicate)
      extends IndexCondition

  final case class And(left: IndexCondition, right: IndexCondition) extends IndexCondition
  final case class Or(left: IndexCondition, right: IndexCondition) extends IndexCondition
  final case class Not(condition: IndexCondition) extends IndexCondition

  /** Null for every row. */
  case object Null extends IndexCondition

  /** A condition that no index answers. */
  case object Unknown extends IndexCondition

  /** A condition that is true for the same rows, or for more if parts of the given one are unknown. It may be false or null
    * for others. Leaves out tests for null that other parts of an `AND` make anyway.
    *
    * @return `Unknown` if it selects nothing
    */
  def whereTrue(condition: IndexCondition): IndexCondition = condition match {
    case And(_, _) =>
      val parts = conjuncts(condition).map(whereTrue)
      val notNull = parts.collect { case Test(field, _, p) if p != IndexPredicate.IsNull => field }
      val (ranges, others) = parts.filter {
        case Unknown => false
        case Not(Test(field, _, IndexPredicate.IsNull)) => !notNull.contains(field)
        case _ => true
      }.partition {
        case Test(_, _, _: IndexPredicate.Within) => true
        case _ => false
      }
      (joined(ranges) ++ others).reduceOption(And(_, _)).getOrElse(Unknown)
    case Or(left, right) =>
      (whereTrue(left), whereTrue(right)) match {
        case (Unknown, _) | (_, Unknown) => Unknown
        case (l, r) => Or(l, r)
      }
    case other => other
  }

  /** The ranges of a field as one test: `c >= 7 AND c <= 9` has few rows though its parts may have many. */
  private def joined(ranges: Seq[IndexCondition]): Seq[IndexCondition] =
    ranges.foldLeft(Vector.empty[IndexCondition]) {
      case (known, test @ Test(field, valueType, IndexPredicate.Within(ranges, keyType))) =>
        val same = known.indexWhere {
          case Test(`field`, `valueType`, IndexPredicate.Within(_, `keyType`)) => true
          case _ => false
        }
        known.lift(same) match {
          case Some(Test(_, _, IndexPredicate.Within(others, _))) =>
            val both = IndexPredicate.Within(others.intersect(ranges), keyType)
            known.updated(same, test.copy(predicate = both))
          case _ => known :+ test
        }
      case (known, other) => known :+ other
    }

  /** Ids of the fields that it tests. */
  def fieldIds(condition: IndexCondition): Set[Int] = condition match {
    case Test(field, _, _) => Set(field)
    case And(left, right) => fieldIds(left) ++ fieldIds(right)
    case Or(left, right) => fieldIds(left) ++ fieldIds(right)
    case Not(inner) => fieldIds(inner)
    case Null | Unknown => Set.empty
  }

  private def conjuncts(condition: IndexCondition): Seq[IndexCondition] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }
}
