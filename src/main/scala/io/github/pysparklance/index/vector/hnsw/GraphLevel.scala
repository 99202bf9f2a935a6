// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

/** A level of a graph: the neighbors of its nodes. Immutable.
  *
  * @param nodes nodes of the level, ascending; null: all nodes from 0
  * @param starts where the neighbors of each node begin, then where the last ones end
  * @param neighbors node numbers
  */
final class GraphLevel(nodes: Array[Int], starts: Array[Int], val neighbors: Array[Int]) {

  /** Nodes of the level. */
  def numNodes: Int = starts.length - 1

  /** Where a node's neighbors are listed, -1 if the level does not have the node. */
  def position(node: Int): Int =
    if (nodes == null) { if (node < numNodes) node else -1 }
    else math.max(java.util.Arrays.binarySearch(nodes, node), -1)

  /** The first of [[neighbors]] at a position. */
  def start(position: Int): Int = starts(position)

  /** The end of [[neighbors]] at a position. */
  def end(position: Int): Int = starts(position + 1)

  def sizeInBytes: Long =
    4L * (starts.length + neighbors.length + (if (nodes == null) 0 else nodes.length))
}

object GraphLevel {

  /** The lowest level.
    *
    * @param starts starts of the neighbors of nodes 0, 1, 2...
    */
  def bottom(starts: Array[Int], neighbors: Array[Int]): GraphLevel =
    new GraphLevel(null, starts, neighbors)

  /** A level of some nodes, listed in any order; of nodes listed twice the last one counts. */
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
