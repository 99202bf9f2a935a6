// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import io.github.pysparklance.table.manifest.IndexSegment

/** The coverage of a segment as a list. */
object IndexCoverage {
  implicit final class Segment(segment: IndexSegment) {

    /** Ids of the covered fragments, ascending, including removed ones; `None` if they were not
      * recorded.
      */
    def coveredFragments: Option[IndexedSeq[Long]] =
      segment.bitmap.map(_.toArray.iterator.map(_ & 0xffffffffL).toIndexedSeq)
  }
}
