// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.RowRange
import io.github.pysparklance.spark.scan.task.ReadOptions
import io.github.pysparklance.testkit.TestRun

class SplitPlannerSuite extends AnyFunSuite {
  private val options =
    ReadOptions(batchRows = 100, maxSplitBytes = 1000, openCostBytes = 10, minSplits = 1)

  private def plan(fragments: (Long, Long)*): IndexedSeq[IndexedSeq[Split]] =
    SplitPlanner.plan(
      fragments.map(f => RowRange(0, f._1)).toIndexedSeq,
      fragments.map(_._2).toIndexedSeq,
      options,
      rowAlignment = 100
    )

  test("a large fragment is split at multiples of a batch") {
    assert(plan(1000L -> 2500L) == IndexedSeq(
      IndexedSeq(Split(0, RowRange(0, 400))),
      IndexedSeq(Split(0, RowRange(400, 800))),
      IndexedSeq(Split(0, RowRange(800, 1000)))
    ))
  }

  test("small fragments share a task if their bytes and opening costs fit") {
    val tasks = plan(Seq.fill(10)(50L -> 300L): _*)
    assert(tasks.map(_.map(_.fragment)) ==
      IndexedSeq(IndexedSeq(0, 1, 2), IndexedSeq(3, 4, 5), IndexedSeq(6, 7, 8), IndexedSeq(9)))
  }

  test("no fragments, and empty fragments") {
    assert(plan().isEmpty)
    assert(plan(0L -> 0L).isEmpty)
    assert(plan(5L -> 0L) == IndexedSeq(IndexedSeq(Split(0, RowRange(0, 5)))))
  }

  test("a range of a fragment is split from its first row") {
    val tasks = SplitPlanner.plan(
      IndexedSeq(RowRange(0, 0), RowRange(250, 950)),
      IndexedSeq(0L, 1500L),
      options,
      rowAlignment = 100
    )
    assert(tasks == IndexedSeq(
      IndexedSeq(Split(1, RowRange(250, 650))),
      IndexedSeq(Split(1, RowRange(650, 950)))
    ))
  }

  test("with more cores than full tasks, tasks are smaller") {
    val tasks =
      SplitPlanner.plan(
        IndexedSeq(RowRange(0, 800)),
        IndexedSeq(800L),
        options.copy(minSplits = 4),
        100
      )
    assert(tasks.length == 4)
  }

  test("every row is read once, in order") {
    val seed = TestRun.seed
    info(s"seed $seed")
    val random = new Random(seed)
    for (_ <- 0 until 200) {
      val rows = IndexedSeq.fill(random.nextInt(20))(random.nextInt(2000).toLong)
      val bytes = rows.map(r => r * random.nextInt(5))
      val read =
        SplitPlanner.plan(rows.map(RowRange(0, _)), bytes, options, 1 + random.nextInt(300)).flatten
      val covered = read.groupBy(_.fragment).map { case (f, s) =>
        s.map(_.rows).foldLeft(0L) { (at, r) =>
          assert(r.from == at && !r.isEmpty)
          r.until
        } -> rows(f)
      }
      covered.foreach { case (end, all) => assert(end == all) }
      assert(read.map(_.fragment) == read.map(_.fragment).sorted)
      assert(read.map(_.fragment).toSet == rows.indices.filter(rows(_) > 0).toSet)
    }
  }
}
