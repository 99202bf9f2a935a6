// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

/** How graphs are built, with the names of pylance.
  *
  * @param m neighbors of a new node, and of any node above level 0; twice as many on level 0
  * @param efConstruction candidates for the neighbors of a new node
  * @param maxLevel number of levels, at most
  */
final case class GraphParameters(m: Int, efConstruction: Int, maxLevel: Int)

object GraphParameters {

  /** Maximum `m`. A graph takes memory in proportion. */
  val MaxNeighbors: Int = 1024

  /** The defaults of pylance. */
  val default: GraphParameters = GraphParameters(m = 20, efConstruction = 150, maxLevel = 7)
}
