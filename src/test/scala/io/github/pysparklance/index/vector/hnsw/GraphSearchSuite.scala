// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

import java.util.BitSet

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.index.vector.quantizer.RowDistances

class GraphSearchSuite extends AnyFunSuite {

  /** Distances that are given. */
  private class Given(of: Array[Float]) extends RowDistances {
    def fill(from: Int, numRows: Int, out: Array[Float]): Unit =
      System.arraycopy(of, from, out, 0, numRows)
    def gather(rows: Array[Int], numRows: Int, out: Array[Float]): Unit =
      (0 until numRows).foreach(i => out(i) = of(rows(i)))
  }

  private def level(lists: Seq[Int]*): GraphLevel =
    GraphLevel.bottom(lists.scanLeft(0)(_ + _.length).toArray, lists.flatten.toArray)

  private def find(
      graph: HnswGraph,
      distances: Array[Float],
      limit: Int,
      ef: Int,
      accepted: BitSet = null,
      range: (Float, Float) = (Float.NegativeInfinity, Float.PositiveInfinity)
  ): Seq[Int] = {
    val found = mutable.ArrayBuffer.empty[Int]
    new GraphSearch(graph, new Given(distances), accepted, range._1, range._2)
      .run(limit, ef)((node, _) => found += node)
    found.sortBy(n => (distances(n), n)).toSeq
  }

  /** A ring in which each node also has some others as neighbors. */
  private def random(random: Random, n: Int): HnswGraph = {
    val lists = (0 until n).map { i =>
      Seq((i + 1) % n, (i + n - 1) % n) ++ Seq.fill(6)(random.nextInt(n))
    }
    val upper = random.shuffle((0 until n).toList).take(math.max(1, n / 8)).toArray
    val links = upper.map(_ => Seq.fill(3)(upper(random.nextInt(upper.length))))
    val starts = links.scanLeft(0)(_ + _.length)
    new HnswGraph(
      IndexedSeq(level(lists: _*), GraphLevel.upper(upper, starts, links.flatten)),
      upper.head
    )
  }

  test("a search with all nodes as candidates finds the nearest nodes") {
    val r = new Random(3)
    for (_ <- 0 until 100) {
      val n = 1 + r.nextInt(200)
      val graph = random(r, n)
      val distances = Array.fill(n)(r.nextInt(40).toFloat)
      val limit = 1 + r.nextInt(20)
      val expected = (0 until n).sortBy(i => (distances(i), i)).take(limit)
      assert(find(graph, distances, limit, math.max(n, limit)).map(distances(_)) ==
        expected.map(distances(_)))
    }
  }

  test("only accepted nodes within the bounds are found, through other nodes") {
    val r = new Random(4)
    for (_ <- 0 until 100) {
      val n = 50 + r.nextInt(100)
      val graph = random(r, n)
      val distances = Array.fill(n)(r.nextFloat())
      val accepted = new BitSet(n)
      (0 until n).filter(_ => r.nextBoolean()).foreach(accepted.set)
      val expected = (0 until n)
        .filter(i => accepted.get(i) && distances(i) >= 0.2f && distances(i) < 0.8f)
        .sortBy(distances(_)).take(10)
      assert(find(graph, distances, 10, n, accepted, (0.2f, 0.8f)) == expected)
    }
  }

  test("a search with few candidates ends at a local minimum") {
    // 0 - 1 - 2 - 3: far from 1 over 2 to 3
    val graph = new HnswGraph(IndexedSeq(level(Seq(1), Seq(0, 2), Seq(1, 3), Seq(2))), 0)
    val distances = Array(2f, 3f, 9f, 1f)
    assert(find(graph, distances, 1, 2) == Seq(0))
    assert(find(graph, distances, 1, 3) == Seq(3))
  }

  test("nodes that are not in a level have no neighbors there") {
    val upper = GraphLevel.upper(Array(4, 2, 4), Array(0, 1, 2, 4), Array(9, 7, 1, 3))
    assert(upper.numNodes == 2)
    assert(upper.position(3) < 0 && upper.position(5) < 0)
    // of the node that is listed twice the last list counts
    val at = upper.position(4)
    assert((upper.start(at) until upper.end(at)).map(upper.neighbors(_)) == Seq(1, 3))
  }

  test("a graph begins at one of its nodes") {
    intercept[CorruptFileException](new HnswGraph(IndexedSeq(level(Seq(0))), 1))
    intercept[CorruptFileException](new HnswGraph(IndexedSeq.empty, 0))
  }
}
