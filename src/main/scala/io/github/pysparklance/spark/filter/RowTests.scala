// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code: imperative.
package io.github.pysparklance.spark.filter

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.github.pysparklance.core.Optional
import io.github.pysparklance.spark.vectors.{
  BatchVectors,
  DictionaryStringVector,
  DictionaryStrings,
  LanceVector
}

/** One of the conditions that rows have to fulfil. Used by one thread. */
sealed private[filter] trait RowTest {

  /** Finds the rows for which the condition is true.
    *
    * @param vectors the columns of the condition
    * @param live positions of the rows in question, ascending
    * @param found takes the positions of those found; may be `live`
    * @return how many were found
    */
  def select(
      vectors: Array[LanceVector],
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int
}

private[filter] object RowTest {

  /** The tests that a condition is made of, cheap ones first. What is compared with literals takes a loop over the array
    * of the column; what looks at one column of strings is evaluated once for each string of a dictionary; the rest takes
    * a call for each row.
    *
    * @param condition over rows of columns by their number
    */
  def of(condition: Expression): IndexedSeq[RowTest] = {
    val all = conjuncts(condition)
    val ranges = all.flatMap(e => LongRange.of(e).map(_ -> e)).groupBy(_._1.column)
    val inRanges = ranges.values.flatten.map(_._2).toSet
    val ranged = ranges.toSeq.sortBy(_._1).map { case (_, found) =>
      new RangeTest(found.map(_._1).reduce(_ and _), found.map(_._2).reduce(And(_, _)))
    }
    val (ofStrings, others) = all
      .filterNot(e => inRanges(e) || isNotNullOf(e, ranges.keySet))
      .partition(stringColumn(_).isDefined)
    val strings = ofStrings.groupBy(stringColumn).toSeq.sortBy(_._1).map { case (column, es) =>
      new StringTest(column.get, es.reduce(And(_, _)))
    }
    val rest = others.reduceOption(And(_, _)).map(new ExpressionTest(_))
    (ranged ++ strings ++ rest).toIndexedSeq
  }

  private def conjuncts(e: Expression): Seq[Expression] = e match {
    case And(l, r) => conjuncts(l) ++ conjuncts(r)
    case other => Seq(other)
  }

  private def isNotNullOf(e: Expression, columns: Set[Int]): Boolean = e match {
    case IsNotNull(c: BoundReference) => columns(c.ordinal)
    case _ => false
  }

  /** The one column that a condition looks at, if it is one of strings and the condition always says the same of a string.
    */
  private def stringColumn(e: Expression): Option[Int] = {
    val columns = e.collect { case c: BoundReference => c }
    val isOfStrings = columns.map(_.ordinal).distinct.length == 1 && e.deterministic &&
      columns.forall(_.dataType.isInstanceOf[StringType])
    if (isOfStrings) Some(columns.head.ordinal) else None
  }
}

/** Integers that a column is to lie between. */
final private[filter] case class LongRange(column: Int, min: Long, max: Long) {
  def and(other: LongRange): LongRange =
    LongRange(column, math.max(min, other.min), math.min(max, other.max))
}

private[filter] object LongRange {
  import ColumnComparison._

  /** What a comparison of a column with a literal allows; none for other conditions and types. */
  def of(e: Expression): Option[LongRange] = e match {
    case ColumnComparison(c: BoundReference, operator, literal) =>
      value(c, literal).flatMap { v =>
        operator match {
          case Equal => Some(LongRange(c.ordinal, v, v))
          case AtMost => Some(LongRange(c.ordinal, Long.MinValue, v))
          case AtLeast => Some(LongRange(c.ordinal, v, Long.MaxValue))
          case Less => Optional.when(v > Long.MinValue)(LongRange(c.ordinal, Long.MinValue, v - 1))
          case Greater =>
            Optional.when(v < Long.MaxValue)(LongRange(c.ordinal, v + 1, Long.MaxValue))
        }
      }
    case _ => None
  }

  /** A literal that is an integer, or a decimal by its unscaled one, in the type of the column. */
  private def value(c: BoundReference, l: Literal): Option[Long] =
    if (c.dataType != l.dataType) None
    else
      (l.dataType, l.value) match {
        case (ByteType | ShortType | IntegerType | LongType, n: Number) => Some(n.longValue)
        case (DateType | TimestampType | TimestampNTZType, n: Number) => Some(n.longValue)
        case (t: DecimalType, d: Decimal) if t.precision <= Decimal.MAX_LONG_DIGITS =>
          val same = d.clone()
          Optional.when(same.changePrecision(t.precision, t.scale))(same.toUnscaledLong)
        case _ => None
      }
}

/** A range for a column, by a loop over its array.
  *
  * @param expression says the same, for vectors without such an array
  */
final private class RangeTest(range: LongRange, expression: Expression) extends RowTest {
  private lazy val byRow = new ExpressionTest(expression)

  def select(
      vectors: Array[LanceVector],
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int = {
    val n = vectors(range.column) match {
      case _ if range.min > range.max => 0
      case v: LanceVector => v.between(range.min, range.max, live, numLive, found)
      case _ => -1
    }
    if (n >= 0) n else byRow.select(vectors, live, numLive, found)
  }
}

/** A condition on one column of strings, evaluated once for each string of a dictionary.
  *
  * @param expression looks at no other column
  */
final private class StringTest(column: Int, expression: Expression) extends RowTest {
  private lazy val byRow = new ExpressionTest(expression)

  // Few strings: to generate a class would take longer.
  private lazy val ofItem = Predicate.createInterpreted(expression)
  private lazy val row = new GenericInternalRow(column + 1)
  private lazy val isTrueOfNull = isTrueOf(null)

  /** What is known of the strings of a dictionary: 0 nothing, 1 false, 2 true. */
  private var known: Array[Byte] = Array.emptyByteArray
  private var strings: DictionaryStrings = null

  def select(
      vectors: Array[LanceVector],
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int = vectors(column) match {
    case v: DictionaryStringVector => ofDictionary(v, live, numLive, found)
    case _ => byRow.select(vectors, live, numLive, found)
  }

  private def ofDictionary(
      vector: DictionaryStringVector,
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int = {
    if (vector.strings ne strings) {
      strings = vector.strings
      known = new Array[Byte](strings.values.numItems)
    }
    val positions = vector.positions
    val hasNull = vector.hasNull
    var n = 0
    var i = 0
    while (i < numLive) {
      val position = live(i)
      found(n) = position
      val isTrue =
        if (hasNull && vector.isNullAt(position)) isTrueOfNull
        else {
          val item = positions(position)
          if (known(item) == 0) known(item) = if (isTrueOf(strings(item))) 2 else 1
          known(item) == 2
        }
      if (isTrue) n += 1
      i += 1
    }
    n
  }

  private def isTrueOf(string: Any): Boolean = {
    row.update(column, string)
    ofItem.eval(row)
  }
}

/** Any condition: a call of a generated class for each row. */
final private class ExpressionTest(expression: Expression) extends RowTest {
  private val predicate = Predicate.create(expression)
  predicate.initialize(0)

  def select(
      vectors: Array[LanceVector],
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int = {
    val row = BatchVectors.row(vectors)
    var n = 0
    var i = 0
    while (i < numLive) {
      val position = live(i)
      row.rowId = position
      found(n) = position
      if (predicate.eval(row)) n += 1
      i += 1
    }
    n
  }
}
