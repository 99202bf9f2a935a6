// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.{Field, LogicalType, Optional}
import io.github.pysparklance.index.IndexCondition
import io.github.pysparklance.index.json.JsonMember
import io.github.pysparklance.index.spi.{IndexPredicate, KeyRange, KeyRanges, KeyType}
import io.github.pysparklance.spark.functions.{JsonCall, JsonFunction, TextCall, TextCondition}
import io.github.pysparklance.spark.types.{SparkTypes, TypeOptions}

/** Translates Spark conditions to index conditions with the same semantics. This includes NaN,
  * -0.0, null elements of an `IN` list, and timestamps that Spark truncates to microseconds. A part
  * without a translation becomes `Unknown`.
  *
  * @param fields fields of the condition, by position
  */
final private[spark] class IndexTranslation(fields: IndexedSeq[Field], types: TypeOptions) {
  import ColumnComparison.{AtLeast, AtMost, Equal, Greater, Less}
  import IndexCondition.{Null, Test, Unknown}

  /** @param condition condition over fields bound by position */
  def apply(condition: Expression): IndexCondition = condition match {
    case And(left, right) => IndexCondition.And(apply(left), apply(right))
    case Or(left, right) => IndexCondition.Or(apply(left), apply(right))
    case Not(inner) => IndexCondition.Not(apply(inner))
    case IsNull(Indexed(values)) => isNull(values)
    case IsNotNull(Indexed(values)) => IndexCondition.Not(isNull(values))
    case EqualNullSafe(Indexed(values), Literal(null, _)) => isNull(values)
    case EqualNullSafe(left, right) =>
      apply(EqualTo(left, right)) match {
        case test: Test =>
          IndexCondition.And(test, IndexCondition.Not(test.copy(predicate = IndexPredicate.IsNull)))
        case _ => Unknown
      }
    case In(Widened(values), list) if list.forall(_.isInstanceOf[Literal]) =>
      among(values, list.map(_.eval()))
    case InSet(Widened(values), list) => among(values, list.toSeq)
    case StartsWith(Indexed(values), Literal(prefix: UTF8String, _)) if isText(values) =>
      within(values)(_ => Some(Seq(KeyRange.prefix(prefix.getBytes))))
    case Contains(Indexed(values), Literal(part: UTF8String, _)) if isText(values) =>
      contains(values, part.toString)
    case EndsWith(Indexed(values), Literal(part: UTF8String, _)) if isText(values) =>
      IndexCondition.And(contains(values, part.toString), Unknown)
    case Like(Indexed(values), Literal(pattern: UTF8String, _), escape) if isText(values) =>
      like(values, pattern.toString, escape)
    case ArrayContains(ListOf(list, element), Literal(value, _)) if value != null =>
      hasAny(list, element, Seq(value))
    case ArraysOverlap(ListOf(list, element), Literal(values: ArrayData, _)) =>
      overlaps(list, element, values)
    case ArraysOverlap(Literal(values: ArrayData, _), ListOf(list, element)) =>
      overlaps(list, element, values)
    case ColumnComparison(Widened(values), operator, Literal(value, _)) =>
      within(values)(known =>
        operator match {
          case Equal => known.equalTo(value)
          case Less => known.below(value, orEqual = false)
          case AtMost => known.below(value, orEqual = true)
          case Greater => known.above(value, orEqual = false)
          case AtLeast => known.above(value, orEqual = true)
        }
      )
    case TextCall(words, texts) => ofWords(words, texts)
    case Indexed(values) if condition.dataType == BooleanType => within(values)(_.equalTo(true))
    case _ => Unknown
  }

  /** Returns the field whose index order equals the order of an expression. Excludes floats,
    * because Spark orders NaN differently.
    */
  def ordered(order: Expression): Option[Field] = order match {
    case Leaf(field) =>
      val isKnown =
        IndexedValues.of(field.logicalType, SparkTypes.dataType(field, types)).isDefined &&
          KeyType.of(field.logicalType).exists(_.floats.isEmpty)
      Optional.when(isKnown)(field)
    case _ => None
  }

  private def contains(values: StoredValues, part: String): IndexCondition =
    values.test(IndexPredicate.Contains(part))

  /** A matching string starts with the prefix, and contains all parts between the wildcards. */
  private def like(values: StoredValues, pattern: String, escape: Char): IndexCondition = {
    val parts = LikeParts(pattern, escape)
    val prefix = parts.prefix.filter(_.nonEmpty).map(p =>
      within(values)(_ => Some(Seq(KeyRange.prefix(UTF8String.fromString(p).getBytes))))
    )
    (prefix ++ parts.all.filter(_.nonEmpty).map(contains(values, _)))
      .foldLeft(Unknown: IndexCondition)(IndexCondition.And(_, _))
  }

  /** If a value is null, `arrays_overlap` is null instead of false, except for empty lists. Spark
    * distinguishes -0.0 and 0.0 here; indices do not.
    */
  private def overlaps(list: Field, element: Field, values: ArrayData): IndexCondition = {
    val t = SparkTypes.dataType(element, types)
    val all =
      (0 until values.numElements()).map(i => if (values.isNullAt(i)) null else values.get(i, t))
    val test = hasAny(list, element, all.filter(_ != null))
    if (all.contains(null) || all.exists(isZeroFloat)) IndexCondition.And(test, Unknown) else test
  }

  private def isZeroFloat(value: Any): Boolean = value match {
    case f: Float => f == 0f
    case d: Double => d == 0d
    case _ => false
  }

  private def hasAny(list: Field, element: Field, values: Seq[Any]): IndexCondition = {
    val found = for {
      known <- IndexedValues.of(element.logicalType, SparkTypes.dataType(element, types))
      ranges = values.map(known.equalTo)
      if ranges.nonEmpty && ranges.forall(_.isDefined)
    } yield Test(
      list.id,
      element.logicalType,
      IndexPredicate.HasAny(KeyRanges.of(ranges.flatten.flatten))
    )
    found.getOrElse(Unknown)
  }

  /** Each part of the condition is null for a null text. The condition itself is only null if all
    * texts are null, so that the rows for which it is false or null stay open.
    */
  private def ofWords(condition: TextCondition, texts: Seq[Expression]): IndexCondition =
    condition.predicates.map { case (column, predicate) =>
      Leaf.path(texts(column)).fold[IndexCondition](Unknown)(field =>
        Test(field.id, field.logicalType, predicate)
      )
    }.reduceOption(IndexCondition.Or(_, _)).getOrElse(Unknown)

  private def isNull(values: StoredValues): Test = values.test(IndexPredicate.IsNull)

  /** Translates `IN`. If a value is null, the result is null instead of false. */
  private def among(values: StoredValues, list: Seq[Any]): IndexCondition = {
    val (nulls, others) = list.partition(_ == null)
    val test = within(values) { known =>
      val ranges = others.map(known.equalTo)
      if (ranges.forall(_.isDefined)) Some(ranges.flatten.flatten) else None
    }
    if (nulls.isEmpty) test else IndexCondition.Or(test, Null)
  }

  private def within(values: StoredValues)(
      ranges: IndexedValues => Option[Seq[KeyRange]]
  ): IndexCondition = {
    val found = for {
      keyType <- KeyType.of(values.valueType)
      known <- IndexedValues.of(values.valueType, values.dataType)
      wanted <- ranges(known)
    } yield values.test(IndexPredicate.Within(KeyRanges.of(wanted), keyType))
    found.getOrElse(Unknown)
  }

  /** Whether strings are compared by their bytes. */
  private def isText(values: StoredValues): Boolean = values.dataType == StringType

  /** Extracts values that an index may have. */
  private object Indexed {
    def unapply(e: Expression): Option[StoredValues] = e match {
      case Leaf(field) =>
        val dataType = SparkTypes.dataType(field, types)
        Some(StoredValues(field.id, field.logicalType, dataType, None))
      case JsonCall(function, document, Literal(key: UTF8String, _)) =>
        for {
          valueType <- function.valueType
          (field, keys) <- documents(document)
          member <- JsonMember.of(keys :+ key.toString)
        } yield StoredValues(field.id, valueType, function.resultType, Some(member))
      case _ => None
    }

    /** Returns the field of documents, and the keys of nested documents. */
    private def documents(e: Expression): Option[(Field, Seq[String])] = e match {
      case Leaf(field) => Optional.when(field.isJson)(field -> Nil)
      case JsonCall(JsonFunction.Get, document, Literal(key: UTF8String, _)) =>
        documents(document).map { case (field, keys) => field -> (keys :+ key.toString) }
      case _ => None
    }
  }

  /** Extracts a list field at any depth, and its elements. */
  private object ListOf {
    def unapply(e: Expression): Option[(Field, Field)] = for {
      list <- Leaf.path(e)
      if list.logicalType.isInstanceOf[LogicalType.List]
      element <- list.children.headOption
      if element.isLeaf
    } yield (list, element)
  }

  /** Extracts values that an index may have, also from a cast of an integer to a wider type. Keys
    * of integers are numbers of 64 bits, so literals may be out of the range of the values. Spark
    * removes most casts itself.
    */
  private object Widened {
    def unapply(e: Expression): Option[StoredValues] = e match {
      case Indexed(values) => Some(values)
      case Cast(inner @ Indexed(values), to, _, _) =>
        Optional.when(isWider(to, inner.dataType))(values)
      case _ => None
    }

    private def isWider(to: DataType, from: DataType): Boolean =
      integers.contains(from) && integers.indexOf(to) > integers.indexOf(from)

    private val integers = Seq[DataType](ByteType, ShortType, IntegerType, LongType)
  }

  /** Extracts a leaf field at any depth. */
  private object Leaf {
    def unapply(e: Expression): Option[Field] = path(e).filter(_.isLeaf)

    def path(e: Expression): Option[Field] = e match {
      case BoundReference(ordinal, _, _) if ordinal < fields.length => Some(fields(ordinal))
      case GetStructField(parent, ordinal, _) => path(parent).flatMap(_.children.lift(ordinal))
      case _ => None
    }
  }
}

/** The values of a leaf field, or of a member of its JSON documents.
  *
  * @param valueType type in index files
  * @param dataType type in Spark
  */
final private[filter] case class StoredValues(
    fieldId: Int,
    valueType: LogicalType,
    dataType: DataType,
    member: Option[JsonMember]
) {
  def test(predicate: IndexPredicate): IndexCondition.Test =
    IndexCondition.Test(fieldId, valueType, predicate, member)
}
