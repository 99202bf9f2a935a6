// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.TestRun

class NeighborChoiceSuite extends AnyFunSuite {

  test("diverse neighbors are first, followed by the nearest of the others") {
    import NeighborChoice.{Crowded, Diverse}
    // node 0, and candidates on a line to both sides of it
    val distances = new FloatDistances(Array(0f, 1f, 2f, -3f, 4f, -5f), 1, isDot = false)
    val choice = new NeighborChoice(distances, 4)
    val nodes = Array(1, 2, 3, 4, 5)
    choice.run(nodes, Array(1f, 4f, 9f, 16f, 25f), null, nodes.length, 4)
    assert(choice.size == 4 && choice.nodes.toSeq == Seq(1, 3, 2, 4))
    assert(choice.lengths.toSeq == Seq(1f, 9f, 4f, 16f))
    assert(choice.kinds.toSeq == Seq(Diverse, Diverse, Crowded, Crowded))
  }

  test("a choice with the kinds of the previous choice has the same result") {
    val r = new Random(TestRun.seed)
    val (n, d) = (300, 4)
    // Few different numbers make equal distances.
    for (limit <- Seq(1, 4, 16); numbers <- Seq(3, 1000)) {
      val vectors = Array.fill(n * d)(r.nextInt(numbers).toFloat)
      val distances = new FloatDistances(vectors, d, isDot = false)
      val links = LevelLinks.dense(n, limit)
      val next = new NeighborChoice(distances, limit)
      val whole = new NeighborChoice(distances, limit)
      val length = new Array[Float](1)
      def lengthOf(node: Int): Float = {
        distances.select(0)
        distances.fill(Array(node), 1, length)
        length(0)
      }
      // roughly from far to near, so that nodes that were diverse become crowded
      val order = (1 until n)
        .map(node => node -> (r.nextInt(numbers * numbers) - lengthOf(node).toInt))
        .sortBy(_._2).map(_._1)
      order.foreach { node =>
        links.add(0, node, lengthOf(node))
        if (links.count(0) > limit) {
          links.sort(0)
          val (nodes, lengths) = (links.sortedNodes, links.sortedDistances)
          next.run(nodes, lengths, links.sortedKinds, links.count(0), limit)
          whole.run(nodes, lengths, null, links.count(0), limit)
          assert(next.size == limit && whole.size == limit)
          assert(next.nodes.toSeq == whole.nodes.toSeq && next.kinds.toSeq == whole.kinds.toSeq)
          links.set(0, next)
        }
      }
    }
  }
}
