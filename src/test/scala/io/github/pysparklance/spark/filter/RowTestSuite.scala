// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{Decimal => SparkDecimal, _}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core._
import io.github.pysparklance.spark.vectors.{BatchVectors, LanceVector, VectorFactory}
import io.github.pysparklance.testkit.TestRun

/** Compares conditions on the columns of a batch with conditions on its rows. */
class RowTestSuite extends AnyFunSuite {
  private val random = new Random(TestRun.seed)
  private val numRows = 300

  /** A column with values from a few, and its type in Spark. */
  private case class Kind(logicalType: String, dataType: DataType, values: () => Values)

  private def fill[V <: Values](values: V)(append: V => Unit): V = {
    (0 until numRows).foreach(_ => append(values))
    values
  }

  private def number(): Int = random.nextInt(9) - 4

  private def strings(words: Int, count: Int): BinaryValues = {
    val values = new BinaryValues
    (0 until count).foreach { i =>
      val bytes = s"s${if (words == count) i else random.nextInt(words)}".getBytes
      values.append(bytes, 0, bytes.length)
    }
    values
  }

  private def decimals(count: Int): WideValues = {
    val values = new WideValues(16)
    (0 until count).foreach { _ =>
      val (at, v) = (values.extend(1), number().toLong)
      (0 until 16).foreach { i =>
        values.bytes(at + i) = (if (i < 8) v >> (8 * i) else v >> 63).toByte
      }
    }
    values
  }

  private def longs(count: Int): LongValues = {
    val values = new LongValues
    (0 until count).foreach(_ => values.append(number().toLong))
    values
  }

  /** The position of a null may be any. */
  private def dictionary(items: Values): DictionaryValues = {
    val values = new DictionaryValues(new IntValues, items)
    (0 until numRows).foreach(_ => values.indices.append(random.nextInt(items.numItems)))
    values.extend(numRows)
    values
  }

  private val kinds = IndexedSeq(
    Kind("int8", ByteType, () => fill(new ByteValues)(_.append(number().toByte))),
    Kind("int16", ShortType, () => fill(new ShortValues)(_.append(number().toShort))),
    Kind("int32", IntegerType, () => fill(new IntValues)(_.append(number()))),
    Kind("int64", LongType, () => fill(new LongValues)(_.append(number().toLong))),
    Kind("uint32", LongType, () => fill(new IntValues)(_.append(number()))),
    Kind("date32:day", DateType, () => fill(new IntValues)(_.append(number()))),
    Kind("timestamp:us:-", TimestampNTZType, () => fill(new LongValues)(_.append(number().toLong))),
    Kind(
      "timestamp:ms:-",
      TimestampNTZType,
      () => fill(new LongValues)(_.append(number().toLong))
    ),
    Kind(
      "decimal:128:15:2",
      DecimalType(15, 2),
      () => decimals(numRows)
    ),
    Kind("decimal:128:15:2", DecimalType(15, 2), () => dictionary(decimals(9))),
    Kind("int64", LongType, () => dictionary(longs(9))),
    Kind("double", DoubleType, () => fill(new LongValues)(_.append(number().toLong))),
    Kind("string", StringType, () => strings(6, numRows)),
    Kind(
      "string",
      StringType,
      () => dictionary(strings(6, 6))
    )
  )

  private def literal(t: DataType): Literal = t match {
    case _ if random.nextInt(20) == 0 => Literal(null, t)
    case StringType => Literal(UTF8String.fromString(s"s${random.nextInt(7)}"), StringType)
    case d: DecimalType => Literal(SparkDecimal(number().toLong, d.precision, d.scale), d)
    case IntegerType | DateType => Literal(extreme(Int.MinValue, Int.MaxValue, number()), t)
    case LongType | TimestampNTZType =>
      Literal(extreme(Long.MinValue, Long.MaxValue, number().toLong), t)
    case ByteType => Literal(number().toByte, t)
    case ShortType => Literal(number().toShort, t)
    case other =>
      assert(other == DoubleType)
      Literal(java.lang.Double.longBitsToDouble(number().toLong), other)
  }

  private def extreme[A](least: A, most: A, other: A): A = random.nextInt(12) match {
    case 0 => least
    case 1 => most
    case _ => other
  }

  private def compared(columns: IndexedSeq[BoundReference]): Expression = {
    val column = columns(random.nextInt(columns.length))
    val (l, r) =
      if (random.nextBoolean()) (column, literal(column.dataType))
      else (literal(column.dataType), column)
    val some = Seq.fill(1 + random.nextInt(4))(literal(column.dataType))
    // NaN NOT IN (…, null) is true where Spark interprets it and null in the code that it
    // generates.
    val set = some.map(_.value).filter(_ != null || column.dataType != DoubleType).toSet
    random.nextInt(12) match {
      case 0 => LessThan(l, r)
      case 1 => LessThanOrEqual(l, r)
      case 2 => GreaterThan(l, r)
      case 3 => GreaterThanOrEqual(l, r)
      case 4 => EqualNullSafe(l, r)
      case 5 => IsNotNull(column)
      case 6 => Or(EqualTo(l, r), IsNull(column))
      case 7 => Not(EqualTo(l, r))
      case 8 => In(column, some)
      case 9 => InSet(column, set)
      case 10 => Not(InSet(column, set))
      case _ => EqualTo(l, r)
    }
  }

  private def validity(): Validity =
    if (random.nextBoolean()) null
    else Validity.of(Seq.fill(numRows)(random.nextInt(5) != 0): _*)

  test("matching rows equal the result of an evaluation row by row") {
    (0 until 600).foreach { round =>
      val chosen = IndexedSeq.fill(1 + random.nextInt(3))(kinds(random.nextInt(kinds.length)))
      val vectors: Array[LanceVector] = chosen.map { k =>
        val field = Field(0, "c", LogicalType.parse(k.logicalType), nullable = true)
        val (values, valid) = (k.values(), validity())
        values match {
          case d: DictionaryValues if valid != null =>
            (0 until numRows).filterNot(valid.isValid).foreach(d.indices.array(_) = 1 << 30)
          case _ =>
        }
        new VectorFactory(field).vector(LeafColumn(values, valid))
      }.toArray
      val columns =
        chosen.indices.map(i => BoundReference(i, chosen(i).dataType, nullable = true))
      val condition = Seq.fill(1 + random.nextInt(4))(compared(columns)).reduce(And(_, _))
      val live =
        (0 until numRows).filter(_ => round % 2 == 0 || random.nextInt(3) == 0).toArray
      val row = BatchVectors.row(vectors)
      val expected = live.filter { i =>
        row.rowId = i
        condition.eval(row: InternalRow) == true
      }
      val found = new Array[Int](numRows)
      var (left, n) = (live, live.length)
      RowTest.of(condition).foreach { test =>
        n = test.select(vectors, left, n, found)
        left = found
      }
      assert(left.take(n).toSeq == expected.toSeq, s"seed ${TestRun.seed}, $condition")
    }
  }

  test(
    "comparisons with literals are loops, conditions on strings are evaluated per string, other conditions per row"
  ) {
    val (id, word) = (BoundReference(0, LongType, true), BoundReference(1, StringType, true))
    val like = Like(word, Literal("a%"), '\\')
    val tests = RowTest.of(
      And(
        And(like, And(IsNotNull(id), GreaterThan(id, Literal(3L)))),
        And(LessThan(id, Literal(9L)), Or(EqualTo(id, Literal(5L)), IsNotNull(word)))
      )
    )
    assert(tests.map(_.getClass.getSimpleName) == Seq("RangeTest", "StringTest", "ExpressionTest"))
    val lists = And(In(id, Seq(Literal(3L), Literal(null, LongType))), InSet(word, Set(null)))
    assert(RowTest.of(lists).map(_.getClass.getSimpleName) == Seq("StringTest", "ExpressionTest"))
    assert(LongRange.of(LessThan(id, Literal(Long.MinValue))).isEmpty)
    assert(LongRange.of(EqualTo(id, Literal(5))).isEmpty, "of another type")
    assert(LongRange.of(GreaterThan(Literal(3L), id)).contains(LongRange(0, Long.MinValue, 2L)))
  }
}
