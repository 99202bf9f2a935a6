// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.Field
import io.github.pysparklance.index.IndexCondition
import io.github.pysparklance.index.spi.{IndexPredicate, KeyRange, KeyRanges, KeyType}
import io.github.pysparklance.spark.types.{SparkTypes, TypeOptions}

/** What indices may be asked of a condition. The question means what the condition means to Spark: of NaN, -0.0, null
  * elements of an `IN` list and timestamps that Spark cuts to microseconds. A part that has no such question is unknown.
  *
  * @param fields those that the condition is over, by their number
  */
final private[spark] class IndexTranslation(fields: IndexedSeq[Field], types: TypeOptions) {
  import ColumnComparison.{AtLeast, AtMost, Equal, Greater, Less}
  import IndexCondition.{Null, Test, Unknown}

  /** @param condition over rows of the fields by their number */
  def apply(condition: Expression): IndexCondition = condition match {
    case And(left, right) => IndexCondition.And(apply(left), apply(right))
    case Or(left, right) => IndexCondition.Or(apply(left), apply(right))
    case Not(inner) => IndexCondition.Not(apply(inner))
    case IsNull(Leaf(field)) => isNull(field)
    case IsNotNull(Leaf(field)) => IndexCondition.Not(isNull(field))
    case EqualNullSafe(Leaf(field), Literal(null, _)) => isNull(field)
    case EqualNullSafe(left, right) =>
      apply(EqualTo(left, right)) match {
        case test: Test =>
          IndexCondition.And(test, IndexCondition.Not(test.copy(predicate = IndexPredicate.IsNull)))
        case _ => Unknown
      }
    case In(Leaf(field), list) if list.forall(_.isInstanceOf[Literal]) =>
      among(field, list.map(_.eval()))
    case InSet(Leaf(field), values) => among(field, values.toSeq)
    case StartsWith(Leaf(field), Literal(prefix: UTF8String, _)) if isText(field) =>
      within(field)(_ => Some(Seq(KeyRange.prefix(prefix.getBytes))))
    case Contains(Leaf(field), Literal(part: UTF8String, _)) if isText(field) =>
      Test(field.id, field.logicalType, IndexPredicate.Contains(part.toString))
    case ColumnComparison(Leaf(field), operator, Literal(value, _)) =>
      within(field)(values =>
        operator match {
          case Equal => values.equalTo(value)
          case Less => values.below(value, orEqual = false)
          case AtMost => values.below(value, orEqual = true)
          case Greater => values.above(value, orEqual = false)
          case AtLeast => values.above(value, orEqual = true)
        }
      )
    case Leaf(field) if condition.dataType == BooleanType => within(field)(_.equalTo(true))
    case _ => Unknown
  }

  private def isNull(field: Field): IndexCondition =
    Test(field.id, field.logicalType, IndexPredicate.IsNull)

  /** `IN`: a null among the values makes it null where it is not true. */
  private def among(field: Field, values: Seq[Any]): IndexCondition = {
    val (nulls, others) = values.partition(_ == null)
    val test = within(field) { known =>
      val ranges = others.map(known.equalTo)
      if (ranges.forall(_.isDefined)) Some(ranges.flatten.flatten) else None
    }
    if (nulls.isEmpty) test else IndexCondition.Or(test, Null)
  }

  private def within(field: Field)(
      ranges: IndexedValues => Option[Seq[KeyRange]]
  ): IndexCondition = {
    val found = for {
      keyType <- KeyType.of(field.logicalType)
      values <- IndexedValues.of(field.logicalType, SparkTypes.dataType(field, types))
      wanted <- ranges(values)
    } yield Test(field.id, field.logicalType, IndexPredicate.Within(KeyRanges.of(wanted), keyType))
    found.getOrElse(Unknown)
  }

  /** A string that compares by its bytes. */
  private def isText(field: Field): Boolean = SparkTypes.dataType(field, types) == StringType

  /** A field of the fields, at any depth, as it is. */
  private object Leaf {
    def unapply(e: Expression): Option[Field] = path(e).filter(_.isLeaf)

    private def path(e: Expression): Option[Field] = e match {
      case BoundReference(ordinal, _, _) if ordinal < fields.length => Some(fields(ordinal))
      case GetStructField(parent, ordinal, _) => path(parent).flatMap(_.children.lift(ordinal))
      case _ => None
    }
  }
}
