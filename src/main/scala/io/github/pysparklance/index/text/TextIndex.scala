// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, TextColumn}
import io.github.pysparklance.index.text.segment.{TextDetails, TextSegment}
import io.github.pysparklance.table.manifest.IndexSegment

/** A full-text index of a table.
  *
  * @param parameters parameters of the analyzer
  * @param segments usable segments, which are open
  */
final class TextIndex private[text] (
    val name: String,
    val column: TextColumn,
    val parameters: AnalyzerParameters,
    private[text] val segments: IndexedSeq[(IndexSegment, TextSegment)]
) {

  /** Whether an early release of the writer, with another analyzer, may have written a segment. */
  def mayBeEarly: Boolean = segments.exists(s => TextDetails.parse(s._1.details).mayBeEarly)

  /** Whether the index supports phrase queries. */
  def hasPositions: Boolean = segments.forall(_._2.hasPositions)
}
