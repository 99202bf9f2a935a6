// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.ivf

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.vector.distance.Metric
import io.github.pysparklance.index.vector.search.VectorQuery

class RankedPartitionsSuite extends AnyFunSuite {

  private def ranked(distances: Float*): RankedPartitions = RankedPartitions.of(distances.toArray)

  private def order(of: RankedPartitions): Seq[Int] =
    (0 until of.numPartitions).map(of.partition)

  test("partitions are ordered by distance and number, with NaN last") {
    val found = ranked(3f, Float.NaN, -1f, 3f, 0f, -2f, Float.PositiveInfinity, -0.5f)
    assert(order(found) == Seq(5, 2, 7, 4, 0, 3, 6, 1))
    assert(found.distance(0) == -2f && found.distance(7).isNaN)
    assert(found.count(_ <= 0f) == 4)
  }

  private def initial(query: VectorQuery, metric: Metric, of: RankedPartitions): Int =
    ProbePolicy.initial(query, metric, of)

  private val many = RankedPartitions.of(Array.tabulate(1000)(i => 1f + i / 100f))

  test("a fixed number of partitions is searched regardless of their distances") {
    assert(initial(VectorQuery(nprobes = Some(3)), Metric.L2, many) == 3)
    assert(initial(VectorQuery(nprobes = Some(5000)), Metric.L2, many) == 1000)
    assert(initial(VectorQuery(nprobes = Some(3)), Metric.Hamming, many) == 3)
  }

  test("by default near partitions are searched, within the bounds of the caller") {
    val near = initial(VectorQuery(k = 10), Metric.L2, many)
    assert(near > 1 && near < 100)
    assert(initial(VectorQuery(k = 10, maximumNprobes = Some(2)), Metric.L2, many) == 2)
    assert(initial(VectorQuery(k = 10, minimumNprobes = Some(300)), Metric.L2, many) == 300)
    assert(initial(VectorQuery(k = 100), Metric.L2, many) > near)
    assert(initial(VectorQuery(k = 10), Metric.L2, ranked(1f)) == 1)
    assert(initial(VectorQuery(k = 10), Metric.L2, ranked()) == 0)
    assert(initial(VectorQuery(k = 10), Metric.Cosine, ranked(Float.NaN, Float.NaN)) == 2)
  }

  test("more effort searches more partitions, from the minimum to all") {
    val efforts = Seq(0.0, 0.1, 0.4, 0.5, 0.6, 0.9, 1.0)
    val counts =
      efforts.map(e => initial(VectorQuery(k = 10, searchEffort = Some(e)), Metric.L2, many))
    assert(counts == counts.sorted && counts.head == 1 && counts.last == 1000)
    assert(counts(3) == initial(VectorQuery(k = 10), Metric.L2, many))
  }
}
