// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

import java.util.SplittableRandom

import scala.collection.mutable

/** Builds the graph over the vectors of a partition, node by node. Deterministic. Takes about
  * `18 * m` bytes per node in addition to the vectors. Not thread-safe. Hot code: imperative.
  *
  * For squared distances, inserts the nodes that are nearest to the mean of all nodes first. The
  * order of the rows in the table may be a bad one: word vectors are ordered by frequency.
  *
  * Source: Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using
  * hierarchical navigable small world graphs", 2016, algorithms 1 and 2.
  *
  * @param distances distances between the nodes; at least one node
  */
final class GraphBuilder(distances: NodeDistances, parameters: GraphParameters, seed: Long = 42L) {
  import GraphBuilder._

  private val numNodes = distances.numNodes
  private val m = parameters.m
  private val levels = levelsOf(numNodes, parameters, seed)
  private val links = Array.tabulate(levels.max + 1) { level =>
    if (level == 0) LevelLinks.dense(numNodes, 2 * m) else LevelLinks.sparse(m)
  }
  private val visited = new Array[Int](numNodes)
  private var visit = 0
  private var entry = 0

  private val candidates = new NodeHeap(nearestFirst = true)
  private val found = new NodeHeap(nearestFirst = false)

  // Nodes to visit, and their distances.
  private var wanted = new Array[Int](64)
  private var measured = new Array[Float](64)

  // Candidates for the neighbors of a node by distance, and the chosen ones.
  private var near = new Array[Int](64)
  private var nearDistances = new Array[Float](64)
  private val chosen = new NeighborChoice(distances, 2 * m)

  /** Builds the graph. */
  def build(): GraphRows = {
    val order = distances.fromMean.fold(Array.range(0, numNodes))(centralFirst)
    entry = order(0)
    (1 until numNodes).foreach { i =>
      if ((i & 1023) == 0 && Thread.interrupted()) throw new InterruptedException
      insert(order(i))
    }
    connectAll()
    rows()
  }

  private def insert(node: Int): Unit = {
    distances.select(node)
    var nearest = entry
    var distance = distanceTo(entry)
    val top = levels(entry)
    val own = levels(node)
    var level = top
    while (level > own) {
      val (n, d) = descend(nearest, distance, level)
      nearest = n
      distance = d
      level -= 1
    }
    level = math.min(own, top)
    while (level >= 0) {
      val count = search(nearest, distance, level)
      nearest = near(0)
      distance = nearDistances(0)
      chosen.run(near, nearDistances, null, count, m)
      links(level).set(node, chosen)
      // link() below chooses again.
      val its = java.util.Arrays.copyOf(chosen.nodes, chosen.size)
      val ds = java.util.Arrays.copyOf(chosen.lengths, chosen.size)
      its.indices.foreach(i => link(its(i), node, ds(i), level))
      distances.select(node)
      level -= 1
    }
    if (own > top) entry = node
  }

  /** Adds a neighbor to a node, and drops one if there are too many. */
  private def link(node: Int, neighbor: Int, distance: Float, level: Int): Unit = {
    val its = links(level)
    its.add(node, neighbor, distance)
    if (its.count(node) > its.limit) {
      its.sort(node)
      chosen.run(
        its.sortedNodes,
        its.sortedDistances,
        its.sortedKinds,
        its.count(node),
        its.limit
      )
      its.set(node, chosen)
    }
  }

  /** Moves to the nearest neighbor until no neighbor is nearer. */
  private def descend(start: Int, startDistance: Float, level: Int): (Int, Float) = {
    val its = links(level)
    var node = start
    var distance = startDistance
    var isNearest = false
    while (!isNearest) {
      isNearest = true
      val count = its.count(node)
      reserve(count)
      its.copy(node, wanted, null, 0)
      distances.fill(wanted, count, measured)
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
    (node, distance)
  }

  /** Finds the nearest nodes of a level, and sorts them into `near`. Returns their number. */
  private def search(start: Int, startDistance: Float, level: Int): Int = {
    val its = links(level)
    val ef = parameters.efConstruction
    visit += 1
    candidates.clear()
    found.clear()
    visited(start) = visit
    candidates.push(startDistance, start)
    found.push(startDistance, start)
    var isDone = false
    while (!isDone && !candidates.isEmpty)
      if (found.size >= ef && candidates.topDistance > found.topDistance) isDone = true
      else {
        val node = candidates.topNode
        candidates.pop()
        val count = unvisited(its, node)
        distances.fill(wanted, count, measured)
        var i = 0
        while (i < count) {
          val d = measured(i)
          if (found.size < ef) {
            candidates.push(d, wanted(i))
            found.push(d, wanted(i))
          } else if (d < found.topDistance) {
            candidates.push(d, wanted(i))
            found.replaceTop(d, wanted(i))
          }
          i += 1
        }
      }
    val count = found.size
    if (near.length < count) {
      near = new Array[Int](2 * count)
      nearDistances = new Array[Float](2 * count)
    }
    var i = count - 1
    while (i >= 0) {
      near(i) = found.topNode
      nearDistances(i) = found.topDistance
      found.pop()
      i -= 1
    }
    count
  }

  private def unvisited(its: LevelLinks, node: Int): Int = {
    val all = its.count(node)
    reserve(all)
    var count = 0
    var i = 0
    while (i < all) {
      val next = its.neighbor(node, i)
      if (visited(next) != visit) {
        visited(next) = visit
        wanted(count) = next
        count += 1
      }
      i += 1
    }
    count
  }

  private def distanceTo(node: Int): Float = {
    wanted(0) = node
    distances.fill(wanted, 1, measured)
    measured(0)
  }

  private def reserve(count: Int): Unit = if (wanted.length < count) {
    wanted = new Array[Int](2 * count)
    measured = new Array[Float](2 * count)
  }

  /** Makes all nodes reachable on level 0: pruning can drop the last link to a node. */
  private def connectAll(): Unit = {
    val reached = new java.util.BitSet(numNodes)
    reach(entry, reached)
    var node = reached.nextClearBit(0)
    while (node < numNodes) {
      distances.select(node)
      val count = search(entry, distanceTo(entry), 0)
      val its = links(0)
      val free = (0 until count).find(i => reached.get(near(i)) && its.hasRoom(near(i)))
      val from = free.fold(lastWithRoom(reached))(near(_))
      wanted(0) = from
      distances.fill(wanted, 1, measured)
      its.add(from, node, measured(0))
      reach(node, reached)
      node = reached.nextClearBit(node)
    }
  }

  /** Returns the last reached node with room for another neighbor. */
  private def lastWithRoom(reached: java.util.BitSet): Int =
    Iterator.range(numNodes - 1, -1, -1)
      .find(n => reached.get(n) && links(0).hasRoom(n)).getOrElse(entry)

  private def reach(start: Int, reached: java.util.BitSet): Unit = {
    val open = new mutable.ArrayBuffer[Int]
    reached.set(start)
    open += start
    while (open.nonEmpty) {
      val node = open.remove(open.length - 1)
      var i = 0
      while (i < links(0).count(node)) {
        val next = links(0).neighbor(node, i)
        if (!reached.get(next)) {
          reached.set(next)
          open += next
        }
        i += 1
      }
    }
  }

  private def rows(): GraphRows = {
    val members = links.indices.map(level => (0 until numNodes).filter(levels(_) >= level))
    val nodes = members.flatten.toArray
    val starts = new Array[Int](nodes.length + 1)
    var row = 0
    members.indices.foreach { level =>
      members(level).foreach { node =>
        starts(row + 1) = starts(row) + links(level).count(node)
        row += 1
      }
    }
    val neighbors = new Array[Int](starts.last)
    val lengths = new Array[Float](starts.last)
    row = 0
    members.indices.foreach { level =>
      members(level).foreach { node =>
        links(level).copy(node, neighbors, lengths, starts(row))
        row += 1
      }
    }
    val ends = members.scanLeft(0)(_ + _.length)
    new GraphRows(
      nodes,
      starts,
      neighbors,
      lengths,
      ends ++ Seq.fill(parameters.maxLevel + 1 - ends.length)(ends.last),
      entry,
      parameters
    )
  }
}

private object GraphBuilder {

  /** Returns the nodes by their distance from the mean, and then by number. */
  private def centralFirst(fromMean: Array[Float]): Array[Int] = {
    val keys = Array.tabulate(fromMean.length) { node =>
      // Numbers of at least 0 have the order of their bits.
      java.lang.Float.floatToIntBits(fromMean(node)).toLong << 32 | node.toLong
    }
    java.util.Arrays.sort(keys)
    keys.map(_.toInt)
  }

  /** Chooses random levels for the nodes. Each level has about 1/m of the nodes of the level below.
    */
  private def levelsOf(numNodes: Int, parameters: GraphParameters, seed: Long): Array[Int] = {
    val random = new SplittableRandom(seed)
    val factor = 1 / math.log(parameters.m.toDouble)
    Array.fill(numNodes) {
      val level = (-math.log(1 - random.nextDouble()) * factor).toInt
      math.min(level, parameters.maxLevel - 1)
    }
  }
}
