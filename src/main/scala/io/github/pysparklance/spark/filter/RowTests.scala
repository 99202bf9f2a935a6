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

/** A part of a condition, which is evaluated on batches of rows. Not thread-safe. */
sealed private[filter] trait RowTest {

  /** Selects the rows for which the condition is true.
    *
    * @param vectors columns of the condition
    * @param live positions of the candidate rows, ascending
    * @param found receives the positions of the selected rows; may be `live`
    * @return number of selected rows
    */
  def select(
      vectors: Array[LanceVector],
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int
}

/** Splits conditions into tests. */
private[filter] object RowTest {

  /** Splits a condition into tests, cheap ones first. Comparisons with literals loop over the array
    * of the column. Conditions on one string column are evaluated once for each dictionary item.
    * All other conditions are evaluated for each row.
    *
    * @param condition condition over columns bound by position
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

  /** The column of a deterministic condition on a single string column. */
  private def stringColumn(e: Expression): Option[Int] = {
    val columns = e.collect { case c: BoundReference => c }
    val isOfStrings = columns.map(_.ordinal).distinct.length == 1 && e.deterministic &&
      columns.forall(_.dataType.isInstanceOf[StringType])
    if (isOfStrings) Some(columns.head.ordinal) else None
  }
}

/** A range of integers for the values of a column. */
final private[filter] case class LongRange(column: Int, min: Long, max: Long) {
  def and(other: LongRange): LongRange =
    LongRange(column, math.max(min, other.min), math.min(max, other.max))
}

/** Extracts ranges. */
private[filter] object LongRange {
  import ColumnComparison._

  /** Returns the range of a comparison with a literal, or `None` for other conditions and types. */
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

  /** Returns an integer literal, or the unscaled value of a decimal, if it has the type of the
    * column.
    */
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

/** Checks the range of a column with a loop over its array.
  *
  * @param expression the same condition, for vectors without such an array
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

/** A condition on a string column, which is evaluated once for each dictionary item.
  *
  * @param expression uses only this column
  */
final private class StringTest(column: Int, expression: Expression) extends RowTest {
  private lazy val byRow = new ExpressionTest(expression)

  // Dictionaries have few strings, so generating a class would take longer.
  private lazy val ofItem = Predicate.createInterpreted(expression)
  private lazy val row = new GenericInternalRow(column + 1)
  private lazy val isTrueOfNull = isTrueOf(null)

  /** Cached results by dictionary item: 0 unknown, 1 false, 2 true. */
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

/** Any condition, evaluated for each row with generated code. */
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
