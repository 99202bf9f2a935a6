// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import io.github.pysparklance.index.text.search.ScoredRows

/** The result of a search in indices.
  *
  * @param rows found rows, highest scores first
  * @param scan scan of the fragments that the indices do not cover; `None` if they cover all
  */
final class TextResult(
    val rows: ScoredRows,
    val scan: Option[TextScan]
)
