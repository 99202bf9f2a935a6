// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import io.github.pysparklance.index.text.search.ScoredRows

/** The rows that indices find for a query.
  *
  * @param rows those with the highest scores first, by their row ids
  * @param scan how to find rows of other fragments; `None`: the indices cover all
  */
final class TextAnswer(
    val rows: ScoredRows,
    val scan: Option[TextScan]
)
