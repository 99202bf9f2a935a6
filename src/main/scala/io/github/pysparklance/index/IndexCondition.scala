// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import io.github.pysparklance.core.LogicalType
import io.github.pysparklance.index.json.JsonMember
import io.github.pysparklance.index.spi.IndexPredicate

/** A condition on the values of rows, reduced to the parts that indices can evaluate. */
sealed trait IndexCondition

/** Kinds of conditions, and functions on them. */
object IndexCondition {

  /** A predicate on the values of a field.
    *
    * @param fieldId id of the leaf field, or of the list field if the predicate is on lists
    * @param valueType type of the values, or of the elements of the list
    * @param member member of JSON documents in the field whose values are tested
    */
  final case class Test(
      fieldId: Int,
      valueType: LogicalType,
      predicate: IndexPredicate,
      member: Option[JsonMember] = None
  ) extends IndexCondition {

    /** Whether both tests are on the same values. */
    private[IndexCondition] def isOnSame(other: Test): Boolean =
      fieldId == other.fieldId && member == other.member
  }

  /** True if both conditions are true. */
  final case class And(left: IndexCondition, right: IndexCondition) extends IndexCondition

  /** True if one of the conditions is true. */
  final case class Or(left: IndexCondition, right: IndexCondition) extends IndexCondition

  /** True if the condition is false; null if it is null. */
  final case class Not(condition: IndexCondition) extends IndexCondition

  /** Null for every row. */
  case object Null extends IndexCondition

  /** A condition that no index can evaluate. */
  case object Unknown extends IndexCondition

  /** Returns a condition that is true for at least the rows for which the given condition is true.
    * For other rows it may be false or null. Removes null tests that are implied by other parts of
    * an `AND`.
    *
    * @return `Unknown` if no part can be evaluated by an index
    */
  def whereTrue(condition: IndexCondition): IndexCondition = condition match {
    case And(_, _) =>
      val parts = conjuncts(condition).map(whereTrue)
      val notNull =
        parts.collect { case test: Test if test.predicate != IndexPredicate.IsNull => test }
      val (ranges, others) = parts.filter {
        case Unknown => false
        case Not(test: Test) if test.predicate == IndexPredicate.IsNull =>
          !notNull.exists(_.isOnSame(test))
        case _ => true
      }.partition {
        case Test(_, _, _: IndexPredicate.Within, _) => true
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

  /** Merges the ranges of a field into one test. `c >= 7 AND c <= 9` matches few rows although each
    * part may match many.
    */
  private def joined(ranges: Seq[IndexCondition]): Seq[IndexCondition] =
    ranges.foldLeft(Vector.empty[IndexCondition]) {
      case (known, test @ Test(_, _, IndexPredicate.Within(ranges, keyType), _)) =>
        val same = known.indexWhere {
          case other @ Test(_, t, IndexPredicate.Within(_, `keyType`), _) =>
            t == test.valueType && other.isOnSame(test)
          case _ => false
        }
        known.lift(same) match {
          case Some(Test(_, _, IndexPredicate.Within(others, _), _)) =>
            val both = IndexPredicate.Within(others.intersect(ranges), keyType)
            known.updated(same, test.copy(predicate = both))
          case _ => known :+ test
        }
      case (known, other) => known :+ other
    }

  /** Returns the ids of the fields in a condition. */
  def fieldIds(condition: IndexCondition): Set[Int] = tests(condition).map(_.fieldId).toSet

  /** Returns the predicates in a condition. */
  def tests(condition: IndexCondition): Seq[Test] = condition match {
    case test: Test => Seq(test)
    case And(left, right) => tests(left) ++ tests(right)
    case Or(left, right) => tests(left) ++ tests(right)
    case Not(inner) => tests(inner)
    case Null | Unknown => Nil
  }

  private def conjuncts(condition: IndexCondition): Seq[IndexCondition] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }
}
