// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import java.util.Locale

/** A kind of vector index.
  *
  * @param quantizer name of the quantizer: `FLAT`, `SQ`, `RQ`, or `PQ`
  * @param hasGraphs whether each partition has an HNSW graph
  * @param targetPartitionSize default number of vectors in a partition
  */
final case class VectorKind(quantizer: String, hasGraphs: Boolean, targetPartitionSize: Int) {

  /** The name in SQL and in index files, such as `IVF_HNSW_SQ`. */
  def name: String = s"IVF_${if (hasGraphs) "HNSW_" else ""}$quantizer"

  /** The `index_version` of new segments. */
  def version: Int = if (quantizer == "RQ") 2 else 1
}

object VectorKind {
  private val graphPartitionSize = 1 << 20

  /** All kinds. */
  val all: Seq[VectorKind] = Seq(
    VectorKind("FLAT", hasGraphs = false, 4096),
    VectorKind("PQ", hasGraphs = false, 8192),
    VectorKind("SQ", hasGraphs = false, 8192),
    VectorKind("RQ", hasGraphs = false, 4096)
  ) ++ Seq("FLAT", "PQ", "SQ").map(VectorKind(_, hasGraphs = true, graphPartitionSize))

  /** Returns the kind with a name, ignoring case. */
  def find(name: String): Option[VectorKind] =
    all.find(_.name == name.trim.toUpperCase(Locale.ROOT))
}
