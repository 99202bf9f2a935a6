// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.table.transaction.build.AppliedWrites.{AppId, Number}
import io.github.pysparklance.testkit.TestRun

class AppliedWritesSuite extends AnyFunSuite {

  private def recorded(
      config: Map[String, String],
      id: String,
      number: String,
      now: Long = 1000L
  ): Option[Map[String, String]] =
    AppliedWrites.recorded(config, Map(AppId -> id, Number -> number), now)

  test("a numbered write sets the property of its application") {
    val first = recorded(Map("k" -> "v"), "a.b/c", "7").get
    assert(first == Map("k" -> "v", "lance.spark.txn.a.b/c" -> "7,1000"))
    assert(AppliedWrites.latest(first, "a.b/c").contains(7L))
    assert(AppliedWrites.latest(first, "a.b").isEmpty)
    val next = recorded(first, "a.b/c", "8").get
    assert(AppliedWrites.latest(next, "a.b/c").contains(8L) && next.size == 2)
    assert(first.keys.count(AppliedWrites.isProperty) == 1)
  }

  test("other commits, long ids, and unreadable properties have no number") {
    assert(AppliedWrites.recorded(Map.empty, Map("x" -> "y"), 1L).isEmpty)
    assert(recorded(Map.empty, "", "1").isEmpty && recorded(Map.empty, "a", "one").isEmpty)
    assert(recorded(Map.empty, "a" * 201, "1").isEmpty && recorded(
      Map.empty,
      "a" * 200,
      "1"
    ).isDefined)
    for (bad <- Seq("", "x", "1", "1,x", "1,2,3"))
      assert(AppliedWrites.latest(Map("lance.spark.txn.a" -> bad), "a").isEmpty, bad)
  }

  private val day = 24L * 60 * 60 * 1000

  /** Records a write of each of many applications, one after the other.
    *
    * @param first the number of applications whose properties are set without looking for old ones
    */
  private def many(n: Int, millisBetween: Long, first: Int = 0): Map[String, String] = {
    def written(config: Map[String, String], i: Int): Map[String, String] =
      recorded(config, s"app$i", "1", 1000L + i * millisBetween).get
    val start = (0 until first).foldLeft(Map("k" -> "v")) { (config, i) =>
      config ++ written(Map.empty, i)
    }
    (first until n).foldLeft(start)((config, i) => written(config, i))
  }

  private def remaining(config: Map[String, String], n: Int): Seq[Int] =
    (0 until n).filter(i => AppliedWrites.latest(config, s"app$i").isDefined)

  test("of more than 100 applications, those without a write for 7 days are forgotten") {
    val all = many(120, day)
    assert(remaining(all, 120) == (20 until 120) && all.size == 101 && all.contains("k"))
    assert(remaining(many(100, day), 100) == (0 until 100), "up to 100 applications remain")
    val late = recorded(all, "late", "3", 0L).get
    assert(AppliedWrites.latest(late, "late").contains(3L), "whatever its clock says")
  }

  test("a paused application keeps its number, however many others write within 7 days") {
    val all = many(400, 60 * 1000L)
    assert(remaining(all, 400) == (0 until 400))
    val next = recorded(all, "next", "1", 1000L + 7 * day + 150 * 60 * 1000L).get
    assert(remaining(next, 400) == (150 until 400))
  }

  test("a table never has more than 1,000 applications") {
    // All applications up to the limit remain.
    val all = many(1100, 1L, first = if (TestRun.isLong) 0 else 990)
    assert(remaining(all, 1100) == (100 until 1100) && all.size == 1001)
  }

  test("moved rows keep their ids at any offset, and the others get new ones") {
    def ids(n: Int, offsets: Seq[Int], known: Seq[Long]): Seq[Long] =
      new MovedRows(offsets.toArray, known.toArray).idsOfAll(n, 100L).toSeq
    assert(ids(5, Seq(1, 3), Seq(7L, 2L)) == Seq(100L, 7L, 101L, 2L, 102L))
    assert(ids(2, Seq(0, 1), Seq(9L, 8L)) == Seq(9L, 8L))
    assert(ids(2, Nil, Nil) == Seq(100L, 101L))
    for (bad <- Seq(Seq(2), Seq(1, 0), Seq(1, 1)))
      intercept[InvalidRequestException](ids(2, bad, bad.map(_.toLong)))
    intercept[InvalidRequestException](new MovedRows(Array(0), Array.empty))
  }
}
