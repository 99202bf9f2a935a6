// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

import io.github.pysparklance.core.CorruptFileException

/** A hierarchical navigable small world graph over the vectors of a partition. A node is the number
  * of a vector in the partition. Immutable.
  *
  * Source: format page of indices, "HNSW sub-index".
  *
  * @param levels levels of the graph; level 0 has all nodes
  * @param entryPoint node at which searches begin
  */
final class HnswGraph(levels: IndexedSeq[GraphLevel], val entryPoint: Int) {

  CorruptFileException.check(
    levels.nonEmpty && entryPoint >= 0 && entryPoint < levels.head.numNodes,
    s"a graph of ${levels.headOption.fold(0)(_.numNodes)} nodes that begins at node $entryPoint"
  )

  /** Number of nodes. */
  def numNodes: Int = levels.head.numNodes

  /** Number of levels with nodes. */
  val numLevels: Int = levels.lastIndexWhere(_.numNodes > 0) + 1

  def level(number: Int): GraphLevel = levels(number)

  /** Approximate memory in bytes. */
  def sizeInBytes: Long = levels.map(_.sizeInBytes).sum
}
