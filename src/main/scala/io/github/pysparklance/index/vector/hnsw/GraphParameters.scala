// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.hnsw

/** Parameters of graphs, with the names of pylance.
  *
  * @param m number of neighbors of a new node, and maximum number of neighbors above level 0; twice
  *   this number on level 0
  * @param efConstruction number of candidates for the neighbors of a new node
  * @param maxLevel maximum number of levels
  */
final case class GraphParameters(m: Int, efConstruction: Int, maxLevel: Int)

object GraphParameters {

  /** Maximum `m`. The memory of a graph is proportional to it. */
  val MaxNeighbors: Int = 1024

  /** Maximum `efConstruction`. */
  val MaxCandidates: Int = 1 << 20

  /** The defaults of pylance. */
  val default: GraphParameters = GraphParameters(m = 20, efConstruction = 150, maxLevel = 7)
}
