// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.segment

import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.index.vector.hnsw.HnswGraph
import io.github.pysparklance.index.vector.quantizer.Codes

/** A partition of an index segment in memory. Immutable.
  *
  * @param rows rows in the form of the segment, one for each vector; a row of several vectors
  *   occurs several times
  * @param graph graph over the vectors; `None` if all vectors are compared
  */
final class VectorPartition(val rows: Array[Long], val codes: Codes, val graph: Option[HnswGraph])
    extends IndexCache.Part {

  def numVectors: Int = rows.length

  /** The distinct upper halves of the rows. In addresses, these are the ids of fragments. */
  val uppers: Array[Long] = {
    val found = new java.util.TreeSet[java.lang.Long]
    var last = -1L
    rows.foreach { row =>
      val upper = row >>> 32
      if (upper != last) {
        found.add(upper)
        last = upper
      }
    }
    found.stream().mapToLong(_.longValue).toArray
  }

  val sizeInBytes: Long =
    8L * (rows.length + uppers.length) + codes.sizeInBytes + graph.fold(0L)(_.sizeInBytes) + 64
}
