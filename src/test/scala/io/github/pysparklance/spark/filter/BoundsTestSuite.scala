// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.filter

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.TestRun

/** Conditions on bounds instead of values. */
class BoundsTestSuite extends AnyFunSuite {
  private val column = BoundReference(0, LongType, nullable = true)

  private def mayMatch(e: Expression, min: Any, max: Any): Boolean =
    BoundsTest(e).forall(_.mayMatch(_ => Some((min, max))))

  private def isTrue(e: Expression, value: Any): Boolean = e.eval(InternalRow(value)) == true

  test("a condition may match if a value within the bounds satisfies it") {
    val seed = TestRun.seed
    val random = new Random(seed)
    def literal(): Literal =
      if (random.nextInt(10) == 0) Literal(null, LongType) else Literal(random.nextInt(12).toLong)
    def compared(): Expression = {
      val (l, r) = if (random.nextBoolean()) (column, literal()) else (literal(), column)
      random.nextInt(7) match {
        case 0 => LessThan(l, r)
        case 1 => LessThanOrEqual(l, r)
        case 2 => GreaterThan(l, r)
        case 3 => GreaterThanOrEqual(l, r)
        case 4 => EqualTo(l, r)
        case 5 => EqualNullSafe(l, r)
        case _ => In(column, Seq.fill(3)(literal()))
      }
    }
    def condition(depth: Int): Expression =
      if (depth == 0) compared()
      else
        random.nextInt(4) match {
          case 0 => And(condition(depth - 1), condition(depth - 1))
          case 1 => Or(condition(depth - 1), condition(depth - 1))
          case 2 => Not(condition(depth - 1))
          case _ => compared()
        }
    var ruledOut = 0
    (1 to 3000).foreach { _ =>
      val e = condition(2)
      val min = random.nextInt(12).toLong
      val max = min + random.nextInt(4)
      val may = mayMatch(e, min, max)
      val values = Seq[Any](null) ++ (min to max)
      if (values.exists(isTrue(e, _)))
        assert(may, s"seed ${seed}L, ${e.sql} of $min to $max")
      if (!may) ruledOut += 1
    }
    assert(ruledOut > 300)
  }

  test("unknown bounds exclude nothing") {
    val greater = GreaterThan(column, Literal(5L))
    assert(mayMatch(greater, 1L, null) && mayMatch(greater, null, null))
    assert(!mayMatch(greater, 1L, 5L) && mayMatch(greater, 1L, 6L))
    assert(mayMatch(LessThan(column, Literal(5L)), null, 9L))
    assert(BoundsTest(greater).forall(_.mayMatch(_ => None)))
    assert(BoundsTest(IsNull(column)).isEmpty && BoundsTest(Or(greater, IsNull(column))).isEmpty)
    assert(!mayMatch(And(greater, IsNotNull(column)), 1L, 2L))
  }
}
