// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

import scala.collection.mutable

/** The neighbors of the nodes of a level, while the graph is being built. Not thread-safe. Hot
  * code: imperative.
  *
  * @param limit maximum number of neighbors of a node; there is room for one more
  * @param places position of each node; null if nodes are positions
  */
final private[hnsw] class LevelLinks private (
    numPlaces: Int,
    val limit: Int,
    places: mutable.LongMap[Int]
) {
  private val slots = limit + 1
  private var neighbors = new Array[Int](Math.multiplyExact(numPlaces, slots))
  private var lengths = new Array[Float](neighbors.length)
  private var kinds = new Array[Byte](neighbors.length)
  private var counts = new Array[Int](numPlaces)

  /** The neighbors of the node of the last [[sort]]. */
  val sortedNodes: Array[Int] = new Array[Int](slots)

  /** The distances of [[sortedNodes]], ascending. */
  val sortedDistances: Array[Float] = new Array[Float](slots)

  /** The kinds of [[sortedNodes]] in a [[NeighborChoice]]. */
  val sortedKinds: Array[Byte] = new Array[Byte](slots)

  private def place(node: Int): Int =
    if (places == null) node
    else {
      val found = places.getOrElseUpdate(node.toLong, places.size)
      if (found >= counts.length) {
        val more = math.max(64, counts.length + counts.length / 2)
        counts = java.util.Arrays.copyOf(counts, more)
        neighbors = java.util.Arrays.copyOf(neighbors, Math.multiplyExact(more, slots))
        lengths = java.util.Arrays.copyOf(lengths, neighbors.length)
        kinds = java.util.Arrays.copyOf(kinds, neighbors.length)
      }
      found
    }

  // place() may replace the arrays.
  def count(node: Int): Int = {
    val at = place(node)
    counts(at)
  }

  def neighbor(node: Int, i: Int): Int = {
    val at = place(node)
    neighbors(at * slots + i)
  }

  def hasRoom(node: Int): Boolean = count(node) < slots

  /** Adds a neighbor. There must be room. */
  def add(node: Int, neighbor: Int, distance: Float): Unit = {
    val at = place(node)
    neighbors(at * slots + counts(at)) = neighbor
    lengths(at * slots + counts(at)) = distance
    kinds(at * slots + counts(at)) = NeighborChoice.Unknown
    counts(at) += 1
  }

  /** Replaces all neighbors. */
  def set(node: Int, chosen: NeighborChoice): Unit = {
    val at = place(node)
    System.arraycopy(chosen.nodes, 0, neighbors, at * slots, chosen.size)
    System.arraycopy(chosen.lengths, 0, lengths, at * slots, chosen.size)
    System.arraycopy(chosen.kinds, 0, kinds, at * slots, chosen.size)
    counts(at) = chosen.size
  }

  /** Copies the neighbors of a node, and their distances unless `distances` is null. */
  def copy(node: Int, out: Array[Int], distances: Array[Float], at: Int): Unit = {
    val from = place(node) * slots
    System.arraycopy(neighbors, from, out, at, count(node))
    if (distances != null) System.arraycopy(lengths, from, distances, at, count(node))
  }

  /** Sorts the neighbors of a node into [[sortedNodes]]. */
  def sort(node: Int): Unit = {
    val from = place(node) * slots
    val number = count(node)
    var i = 0
    while (i < number) {
      val distance = lengths(from + i)
      var j = i
      while (j > 0 && sortedDistances(j - 1) > distance) {
        sortedDistances(j) = sortedDistances(j - 1)
        sortedNodes(j) = sortedNodes(j - 1)
        sortedKinds(j) = sortedKinds(j - 1)
        j -= 1
      }
      sortedDistances(j) = distance
      sortedNodes(j) = neighbors(from + i)
      sortedKinds(j) = kinds(from + i)
      i += 1
    }
  }
}

private[hnsw] object LevelLinks {

  /** Returns the links of a level with all nodes. */
  def dense(numNodes: Int, limit: Int): LevelLinks = new LevelLinks(numNodes, limit, null)

  /** Returns the links of a level with few nodes. */
  def sparse(limit: Int): LevelLinks = new LevelLinks(0, limit, mutable.LongMap.empty[Int])
}
