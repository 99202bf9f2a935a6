// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

import java.util.BitSet

import io.github.pysparklance.index.vector.quantizer.RowDistances

/** Finds the nodes of a graph that are nearest to a query. Like the reference, it descends greedily
  * to level 1, and then searches level 0 with a queue of candidates. Not thread-safe. Hot code:
  * imperative.
  *
  * Source: verified page of indices, "HNSW".
  *
  * @param distances distances of the query to the nodes
  * @param accepted nodes that may be found; null for all. Other nodes are only traversed
  * @param lower minimum distance of the found nodes
  * @param upper exclusive maximum distance of the found nodes
  */
final class GraphSearch(
    graph: HnswGraph,
    distances: RowDistances,
    accepted: BitSet,
    lower: Float,
    upper: Float
) {
  private val visited = new BitSet(graph.numNodes)
  private var wanted = new Array[Int](64)
  private var measured = new Array[Float](64)
  private var numMeasured = 0L

  /** Number of computed distances. */
  def numCompared: Long = numMeasured

  /** Finds nodes.
    *
    * @param limit maximum number of nodes to find
    * @param ef number of candidates to keep, at least `limit`
    * @param f called with each node and its distance, in no particular order
    */
  def run(limit: Int, ef: Int)(f: (Int, Float) => Unit): Unit = {
    val (start, distance) = descend()
    val found = walk(start, distance, ef)
    while (found.size > limit) found.pop()
    while (!found.isEmpty) {
      f(found.topNode, found.topDistance)
      found.pop()
    }
  }

  /** Moves to the nearest neighbor until no neighbor is nearer, level by level. */
  private def descend(): (Int, Float) = {
    var node = graph.entryPoint
    add(node, 0)
    measure(1)
    var distance = measured(0)
    var level = graph.numLevels - 1
    while (level >= 1) {
      var isNearest = false
      while (!isNearest) {
        isNearest = true
        val count = neighbors(graph.level(level), node, onlyNew = false)
        measure(count)
        var i = 0
        while (i < count) {
          if (measured(i) < distance) {
            distance = measured(i)
            node = wanted(i)
            isNearest = false
          }
          i += 1
        }
      }
      level -= 1
    }
    (node, distance)
  }

  /** Returns the nearest reachable nodes of level 0, with the farthest node on top. */
  private def walk(start: Int, startDistance: Float, ef: Int): NodeHeap = {
    val candidates = new NodeHeap(nearestFirst = true)
    val found = new NodeHeap(nearestFirst = false)
    visited.set(start)
    candidates.push(startDistance, start)
    if (isFound(start, startDistance)) found.push(startDistance, start)
    val bottom = graph.level(0)
    var isDone = false
    while (!isDone && !candidates.isEmpty) {
      val distance = candidates.topDistance
      if (found.size == ef && distance > found.topDistance) isDone = true
      else {
        val node = candidates.topNode
        candidates.pop()
        val count = neighbors(bottom, node, onlyNew = true)
        measure(count)
        var i = 0
        while (i < count) {
          val d = measured(i)
          if (found.size < ef || d <= found.topDistance) {
            val next = wanted(i)
            if (isFound(next, d)) {
              if (found.size < ef) found.push(d, next)
              else if (d < found.topDistance) found.replaceTop(d, next)
            }
            candidates.push(d, next)
          }
          i += 1
        }
      }
    }
    found
  }

  private def isFound(node: Int, distance: Float): Boolean =
    (accepted == null || accepted.get(node)) && !(distance < lower) && !(distance >= upper)

  /** Copies the neighbors of a node to `wanted`.
    *
    * @param onlyNew copies only neighbors that were not visited, and marks them as visited
    * @return number of copied neighbors
    */
  private def neighbors(level: GraphLevel, node: Int, onlyNew: Boolean): Int = {
    val position = level.position(node)
    var count = 0
    if (position >= 0) {
      var i = level.start(position)
      val end = level.end(position)
      while (i < end) {
        val next = level.neighbors(i)
        if (!onlyNew || !visited.get(next)) {
          if (onlyNew) visited.set(next)
          add(next, count)
          count += 1
        }
        i += 1
      }
    }
    count
  }

  private def add(node: Int, at: Int): Unit = {
    if (at == wanted.length) {
      wanted = java.util.Arrays.copyOf(wanted, 2 * at)
      measured = new Array[Float](2 * at)
    }
    wanted(at) = node
  }

  private def measure(count: Int): Unit = if (count > 0) {
    distances.gather(wanted, count, measured)
    numMeasured += count
  }
}
