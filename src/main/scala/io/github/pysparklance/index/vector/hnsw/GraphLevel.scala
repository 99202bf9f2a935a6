// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

/** A level of a graph: the neighbors of its nodes. Immutable.
  *
  * @param nodes nodes of the level, ascending; null for all nodes from 0
  * @param starts position of the first neighbor of each node, followed by the number of neighbors
  * @param neighbors node numbers
  */
final class GraphLevel(nodes: Array[Int], starts: Array[Int], val neighbors: Array[Int]) {

  /** Number of nodes of the level. */
  def numNodes: Int = starts.length - 1

  /** Returns the position of a node in the level, or -1 if the level does not have the node. */
  def position(node: Int): Int =
    if (nodes == null) { if (node < numNodes) node else -1 }
    else math.max(java.util.Arrays.binarySearch(nodes, node), -1)

  /** Returns the index of the first of [[neighbors]] of the node at a position. */
  def start(position: Int): Int = starts(position)

  /** Returns the end index in [[neighbors]] of the node at a position. */
  def end(position: Int): Int = starts(position + 1)

  def sizeInBytes: Long =
    4L * (starts.length + neighbors.length + (if (nodes == null) 0 else nodes.length))
}

object GraphLevel {

  /** Returns the lowest level.
    *
    * @param starts position of the first neighbor of nodes 0, 1, 2, and so on
    */
  def bottom(starts: Array[Int], neighbors: Array[Int]): GraphLevel =
    new GraphLevel(null, starts, neighbors)

  /** Returns a level of some nodes, in any order. If a node is listed twice, the last entry is
    * used.
    */
  def upper(nodes: Array[Int], starts: Array[Int], neighbors: Array[Int]): GraphLevel = {
    val order = nodes.indices.sortBy(nodes(_)) // stable
    val last =
      order.indices.filter(i => i + 1 == order.length || nodes(order(i)) != nodes(order(i + 1)))
    val kept = last.map(order)
    val sortedStarts = kept.scanLeft(0)((sum, i) => sum + starts(i + 1) - starts(i)).toArray
    val sorted = new Array[Int](sortedStarts.last)
    kept.indices.foreach { k =>
      val i = kept(k)
      System.arraycopy(neighbors, starts(i), sorted, sortedStarts(k), starts(i + 1) - starts(i))
    }
    new GraphLevel(kept.map(nodes(_)).toArray, sortedStarts, sorted)
  }
}
