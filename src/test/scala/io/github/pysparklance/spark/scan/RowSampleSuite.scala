// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{RowRange, RowSelection}
import io.github.pysparklance.spark.scan.task.RowSample
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.scan.FragmentScan
import io.github.pysparklance.testkit.GoldenTables

class RowSampleSuite extends AnyFunSuite {
  private lazy val table =
    LanceTable.open(Storage.local, GoldenTables.path("deletions.lance").toString)

  private def scan(index: Int, selection: Option[RowSelection] = None): FragmentScan =
    FragmentScan(table, index, RowRange(0, 8000), selection, 0L, IndexedSeq.empty)

  private def drawn(sample: RowSample, scan: FragmentScan): Set[Long] =
    sample.of(scan).selection.get.ranges.flatMap(r => r.from until r.until).toSet

  test("samples with the same seed are disjoint, and together contain all rows") {
    val shares = Seq(0.0 -> 0.2, 0.2 -> 0.25, 0.25 -> 1.0).map { case (lower, upper) =>
      drawn(RowSample(lower, upper, 42), scan(0))
    }
    assert(shares.map(_.size).sum == 8000 && shares.reduce(_ ++ _).size == 8000)
    assert(math.abs(shares.head.size - 1600) < 200 && math.abs(shares(1).size - 400) < 120)
  }

  test("samples differ by fragment and seed, and are deterministic") {
    val sample = RowSample(0.0, 0.1, 7)
    assert(drawn(sample, scan(0)) == drawn(sample, scan(0)))
    assert(drawn(sample, scan(0)) != drawn(sample, scan(1)))
    assert(drawn(sample, scan(0)) != drawn(sample.copy(seed = 8), scan(0)))
  }

  test("a sample of selected rows is a subset of the sample of all rows") {
    val sample = RowSample(0.0, 0.1, 7)
    val some = RowSelection.of(RowRange(1000, 3000))
    assert(drawn(sample, scan(0, Some(some))) ==
      drawn(sample, scan(0)).filter(row => row >= 1000 && row < 3000))
    assert(drawn(RowSample(0.5, 0.5, 1), scan(0)).isEmpty)
  }
}
