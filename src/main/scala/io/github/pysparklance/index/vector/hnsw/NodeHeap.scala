// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

/** A binary heap of nodes, ordered by distance and then by number. Not thread-safe. Hot code:
  * imperative.
  *
  * @param nearestFirst whether the nearest node is on top; otherwise, the farthest
  */
final private[hnsw] class NodeHeap(nearestFirst: Boolean) {
  private var distances = new Array[Float](64)
  private var nodes = new Array[Int](64)
  private var count = 0

  def size: Int = count

  def isEmpty: Boolean = count == 0

  /** Removes all nodes. */
  def clear(): Unit = count = 0

  /** The distance of the node on top. */
  def topDistance: Float = distances(0)

  /** The node on top. */
  def topNode: Int = nodes(0)

  def push(distance: Float, node: Int): Unit = {
    if (count == nodes.length) {
      distances = java.util.Arrays.copyOf(distances, 2 * count)
      nodes = java.util.Arrays.copyOf(nodes, 2 * count)
    }
    var at = count
    count += 1
    var isDone = false
    while (at > 0 && !isDone) {
      val parent = (at - 1) >>> 1
      if (isAbove(distance, node, distances(parent), nodes(parent))) {
        distances(at) = distances(parent)
        nodes(at) = nodes(parent)
        at = parent
      } else isDone = true
    }
    distances(at) = distance
    nodes(at) = node
  }

  /** Removes the node on top. */
  def pop(): Unit = {
    count -= 1
    if (count > 0) sift(distances(count), nodes(count))
  }

  /** Replaces the node on top. */
  def replaceTop(distance: Float, node: Int): Unit = sift(distance, node)

  private def sift(distance: Float, node: Int): Unit = {
    var at = 0
    var isDone = false
    while (!isDone) {
      var child = 2 * at + 1
      if (child >= count) isDone = true
      else {
        if (
          child + 1 < count &&
          isAbove(distances(child + 1), nodes(child + 1), distances(child), nodes(child))
        ) child += 1
        if (isAbove(distances(child), nodes(child), distance, node)) {
          distances(at) = distances(child)
          nodes(at) = nodes(child)
          at = child
        } else isDone = true
      }
    }
    distances(at) = distance
    nodes(at) = node
  }

  private def isAbove(distance: Float, node: Int, otherDistance: Float, otherNode: Int): Boolean =
    // Like java.lang.Float.compare, but 0.0 equals -0.0. NaN is the greatest.
    if (distance < otherDistance) nearestFirst
    else if (distance > otherDistance) !nearestFirst
    else if (distance == otherDistance) (node < otherNode) == nearestFirst && node != otherNode
    else {
      val order = java.lang.Float.compare(distance, otherDistance)
      if (order == 0) (node < otherNode) == nearestFirst && node != otherNode
      else (order < 0) == nearestFirst
    }
}
