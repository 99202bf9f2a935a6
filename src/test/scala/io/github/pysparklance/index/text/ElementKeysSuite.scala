// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.table.rowid.RowAddress

class ElementKeysSuite extends AnyFunSuite {

  test("numbers of elements have the order of rows and positions") {
    val random = new Random(1)
    Seq((1, 1), (3, 17), (16, 30), (20, 32), (0, 1), (0, 40)).foreach { case (upper, lower) =>
      val keys = ElementKeys(upper, lower)
      val elementBits = math.min(31, 64 - upper - lower)
      def below(bits: Int) = random.nextLong() & (1L << bits) - 1
      val elements = Seq.fill(200) {
        val row = if (upper == 0) below(lower) else RowAddress(below(upper), below(lower))
        (row, (below(elementBits) & Int.MaxValue - 1).toInt)
      }.distinct.sortWith { case ((a, i), (b, j)) =>
        val order = java.lang.Long.compareUnsigned(a, b)
        order < 0 || order == 0 && i < j
      }
      val numbers = elements.map { case (row, element) => keys(row, element) }
      assert(numbers == numbers.sortWith(java.lang.Long.compareUnsigned(_, _) < 0))
      assert(numbers.map(n => (keys.row(n), keys.element(n))) == elements)
      val made = keys.of(elements.map(_._1).toArray, elements.map(_._2).toArray)
      assert(made.keys.toSeq == numbers && made.isAscending)
    }
  }

  test("documents of removed fragments do not disturb the others") {
    val keys = ElementKeys(2, 4)
    val removed = Seq(RowAddress(9, 1), RowAddress(1, 77))
    val rows = removed.head +: RowAddress(1, 2) +: removed.tail
    val made = keys.of(rows.toArray, Array(1 << 30, 5, 3))
    assert(made.keys.toSeq == Seq(0L, keys(RowAddress(1, 2), 5), 0L) && !made.isAscending)
  }

  test("lists of large tables have fewer elements") {
    val keys = ElementKeys(20, 32)
    assert(keys.element(keys(RowAddress(1 << 19, 7), 4095)) == 4095)
    intercept[UnsupportedFeatureException](keys(RowAddress(1, 1), 4096))
    intercept[UnsupportedFeatureException](ElementKeys(1, 1)(RowAddress(0, 0), -1))
    assert(ElementKeys(32, 32).row(ElementKeys(32, 32)(-2L, 0)) == -2L)
  }
}
