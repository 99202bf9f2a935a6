// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.index.vector.quantizer.RowDistances
import io.github.pysparklance.testkit.TestRun

class GraphBuilderSuite extends AnyFunSuite {
  private val parameters = GraphParameters(m = 8, efConstruction = 40, maxLevel = 5)

  private def levels(rows: GraphRows): IndexedSeq[GraphLevel] =
    rows.levelOffsets.zip(rows.levelOffsets.tail).zipWithIndex.map { case ((from, until), level) =>
      val starts = Array.tabulate(until - from + 1)(i => rows.starts(from + i) - rows.starts(from))
      val its = rows.neighbors.slice(rows.starts(from), rows.starts(until))
      if (level == 0) GraphLevel.bottom(starts, its)
      else GraphLevel.upper(rows.nodes.slice(from, until), starts, its)
    }

  private def check(rows: GraphRows, n: Int, m: Int): HnswGraph = {
    assert(rows.levelOffsets.length == rows.parameters.maxLevel + 1)
    assert(rows.levelOffsets.head == 0 && rows.levelOffsets.last == rows.numRows)
    assert(rows.nodes.take(n).toSeq == (0 until n))
    (0 until rows.numRows).foreach { row =>
      val its = rows.neighbors.slice(rows.starts(row), rows.starts(row + 1))
      val limit = if (row < n) 2 * m + 1 else m + 1
      assert(its.length <= limit && its.distinct.length == its.length)
      assert(its.forall(i => i >= 0 && i < n && i != rows.nodes(row)))
    }
    val graph = new HnswGraph(levels(rows), rows.entryPoint)
    val reached = mutable.Set(graph.entryPoint)
    val open = mutable.Stack(graph.entryPoint)
    while (open.nonEmpty) {
      val node = open.pop()
      (graph.level(0).start(node) until graph.level(0).end(node))
        .map(graph.level(0).neighbors(_)).foreach(next => if (reached.add(next)) open.push(next))
    }
    assert(reached.size == n, "nodes that cannot be reached")
    graph
  }

  private class To(query: Array[Float], vectors: Array[Float]) extends RowDistances {
    private val d = query.length
    def of(row: Int): Float =
      (0 until d).map(i => math.pow(query(i) - vectors(row * d + i).toDouble, 2)).sum.toFloat
    def fill(from: Int, numRows: Int, out: Array[Float]): Unit =
      (0 until numRows).foreach(i => out(i) = of(from + i))
    def gather(rows: Array[Int], numRows: Int, out: Array[Float]): Unit =
      (0 until numRows).foreach(i => out(i) = of(rows(i)))
  }

  test("graph searches find nearly all nearest nodes") {
    val r = new Random(TestRun.seed)
    val (n, d) = (2000, 12)
    val centers = Array.fill(20, d)(r.nextGaussian() * 3)
    val vectors = (0 until n).toArray
      .flatMap(i => centers(i % 20).map(c => (c + r.nextGaussian()).toFloat))
    val rows = new GraphBuilder(new FloatDistances(vectors, d, isDot = false), parameters).build()
    val graph = check(rows, n, parameters.m)
    val recalls = (0 until 40).map { _ =>
      val query = centers(r.nextInt(20)).map(c => (c + r.nextGaussian()).toFloat)
      val to = new To(query, vectors)
      val wanted = (0 until n).sortBy(to.of).take(10).toSet
      val found = mutable.Set.empty[Int]
      val none = (Float.NegativeInfinity, Float.PositiveInfinity)
      new GraphSearch(graph, to, null, none._1, none._2).run(10, 60)((node, _) => found += node)
      found.intersect(wanted).size / 10.0
    }
    assert(recalls.sum / recalls.length > 0.95)
    (0 until 200).foreach { node =>
      val to = new To(vectors.slice(node * d, (node + 1) * d), vectors)
      (rows.starts(node) until rows.starts(node + 1)).foreach { i =>
        assert(math.abs(rows.distances(i) - to.of(rows.neighbors(i))) < 1e-2)
      }
    }
  }

  test("equal vectors, and very small graphs") {
    for (n <- Seq(1, 2, 3, 17, 500)) {
      val same = new FloatDistances(Array.fill(n * 4)(1f), 4, isDot = false)
      check(new GraphBuilder(same, parameters).build(), n, parameters.m): Unit
      val zeros = new ByteDistances(new Array[Byte](n * 4), 4, isHamming = true, 1f)
      check(new GraphBuilder(zeros, GraphParameters(4, 4, 1)).build(), n, 4): Unit
    }
  }

  test("distances of the inner product, of bytes, and of bits") {
    val r = new Random(TestRun.seed)
    val floats = Array.fill(300 * 6)(r.nextGaussian().toFloat)
    check(new GraphBuilder(new FloatDistances(floats, 6, isDot = true), parameters).build(), 300, 8)
    val bytes = Array.fill(300 * 6)(r.nextInt(256).toByte)
    for (isHamming <- Seq(false, true)) {
      val distances = new ByteDistances(bytes, 6, isHamming, 0.5f)
      val rows = new GraphBuilder(distances, parameters).build()
      check(rows, 300, 8): Unit
      val out = new Array[Float](1)
      distances.select(7)
      (rows.starts(7) until rows.starts(8)).foreach { i =>
        distances.fill(Array(rows.neighbors(i)), 1, out)
        assert(rows.distances(i) == out(0))
      }
    }
  }

  test("graphs of squared distances do not depend on the order of the rows") {
    val r = new Random(7) // without equal distances
    val (n, d) = (300, 6)
    val vectors = Array.fill(n)(Array.fill(d)(r.nextGaussian().toFloat))
    val oneLevel = GraphParameters(m = 8, efConstruction = 40, maxLevel = 1)
    def neighbors(rows: Array[Array[Float]]): IndexedSeq[Set[Int]] = {
      val distances = new FloatDistances(rows.flatten, d, isDot = false)
      val graph = new GraphBuilder(distances, oneLevel).build()
      (0 until n).map(i => graph.neighbors.slice(graph.starts(i), graph.starts(i + 1)).toSet)
    }
    val reversed = neighbors(vectors.reverse).reverse.map(_.map(n - 1 - _))
    assert(neighbors(vectors) == reversed)
  }

  test("distances of nodes from their mean") {
    val floats = Array(0f, 0f, 4f, 0f, 2f, 6f) // mean 2, 2
    assert(new FloatDistances(floats, 2, isDot = false).fromMean.get.toSeq == Seq(8f, 8f, 16f))
    assert(new FloatDistances(floats, 2, isDot = true).fromMean.isEmpty)
    val bytes = Array(0, 200, 255, 100, 45, 0).map(_.toByte) // mean 100, 100
    val wanted = Seq(100 * 100 + 100 * 100f, 155 * 155f, 55 * 55 + 100 * 100f)
    assert(new ByteDistances(bytes, 2, isHamming = false, 1f).fromMean.get.toSeq == wanted)
    assert(new ByteDistances(bytes, 2, isHamming = true, 1f).fromMean.isEmpty)
  }
}
