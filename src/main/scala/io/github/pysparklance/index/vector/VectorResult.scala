// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.IndexUse
import io.github.pysparklance.index.vector.search.{DistanceScale, FoundRows}

/** The result of a search in an index.
  *
  * @param rows row ids, nearest first: stable row ids if the table has them, otherwise addresses
  * @param addresses addresses of the rows, in the same order
  * @param scale scale of the distances
  * @param uses searched segments, with the fragments that each was searched for
  * @param uncovered ids of the fragments that no segment covers, which need a search without the
  *   index
  */
final class VectorResult(
    val rows: FoundRows,
    val addresses: Array[Long],
    val scale: DistanceScale,
    val uses: Seq[IndexUse],
    val uncovered: RoaringBitmap
)
