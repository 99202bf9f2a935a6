// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import io.github.pysparklance.index.spi.IndexPredicate
import io.github.pysparklance.index.text.analysis.AnalyzerParameters
import io.github.pysparklance.index.text.query.LeafQuery

/** Matches texts by a full-text query, regardless of scores. Ignores `maxExpansions`, so that the
  * result for a text does not depend on other rows.
  *
  * @param query query; its column is ignored
  * @param parameters parameters of the analyzer
  */
final case class TextPredicate(query: LeafQuery, parameters: AnalyzerParameters)
    extends IndexPredicate.OfWords
