// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.IndexUse
import io.github.pysparklance.index.vector.search.{DistanceScale, FoundRows}

/** The nearest rows that an index knows.
  *
  * @param rows rows by their row ids, nearest first: stable ids in tables that have them, else
  *   addresses
  * @param addresses addresses of the rows, in the same order
  * @param scale scale of the distances
  * @param uses the segments that were searched, with the fragments each was searched for
  * @param uncovered ids of the fragments that no segment covers: they have to be searched without the index
  */
final class VectorAnswer(
    val rows: FoundRows,
    val addresses: Array[Long],
    val scale: DistanceScale,
    val uses: Seq[IndexUse],
    val uncovered: RoaringBitmap
)
