// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.search

import io.github.pysparklance.index.spi.IndexPredicate
import io.github.pysparklance.index.text.analysis.AnalyzerParameters
import io.github.pysparklance.index.text.query.LeafQuery

/** Matches the texts that a query finds, whatever their scores. Whether a text matches does not
  * depend on the other rows: a fuzzy query finds all similar terms, and not only the first
  * `maxExpansions` of them.
  *
  * @param query whose column does not matter
  * @param parameters of the analyzer of the texts
  */
final case class TextPredicate(query: LeafQuery, parameters: AnalyzerParameters)
    extends IndexPredicate.OfWords
