// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

import org.scalatest.funsuite.AnyFunSuite

class CheckedSuite extends AnyFunSuite {
  private def fails(body: => Any): Boolean =
    try { body: Unit; false }
    catch { case e: CorruptFileException => e.getMessage.contains("rows: ") }

  private def fits(exact: BigInt): Boolean = exact.isValidLong

  test("numbers that overflow raise a CorruptFileException") {
    assert(Checked.int(Int.MaxValue.toLong, "rows") == Int.MaxValue)
    assert(Checked.int(Int.MinValue.toLong, "rows") == Int.MinValue)
    for (
      n <- Seq(1L << 31, 1L << 32, (1L << 32) + 5, Long.MaxValue, Long.MinValue, -(1L << 31) - 1)
    )
      assert(fails(Checked.int(n, "rows")), n)
    val edges = Seq(0L, 1L, -1L, 3L, 1L << 31, 1L << 32, 1L << 62, Long.MaxValue, Long.MinValue)
    for (a <- edges; b <- edges) {
      val (sum, product) = (BigInt(a) + b, BigInt(a) * b)
      if (fits(sum)) assert(Checked.add(a, b, "rows") == sum.toLong)
      else assert(fails(Checked.add(a, b, "rows")), s"$a + $b")
      if (fits(product)) assert(Checked.multiply(a, b, "rows") == product.toLong)
      else assert(fails(Checked.multiply(a, b, "rows")), s"$a * $b")
    }
  }
}
