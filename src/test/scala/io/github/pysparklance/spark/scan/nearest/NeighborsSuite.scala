// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import org.scalatest.funsuite.AnyFunSuite

class NeighborsSuite extends AnyFunSuite {

  test("a collector returns the addresses of kept rows, for any order of offers") {
    for (limit <- Seq(1, 3, 100); descending <- Seq(true, false)) {
      val collector = new Neighbors.Collector(limit)
      val ids = if (descending) (0 until 5000).reverse else 0 until 5000
      ids.foreach(id => collector.offer(id.toFloat, id.toLong, id + (7L << 32)))
      val found = collector.result()
      assert(found.rowIds.toSeq == (0 until limit).map(_.toLong))
      assert(found.addresses.toSeq == (0 until limit).map(_ + (7L << 32)))
    }
  }
}
