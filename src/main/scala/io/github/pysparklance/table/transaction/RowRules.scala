// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction

/** Settings of a table that hold for all of its rows: writers check what they add against those of the version they
  * began with.
  */
private[pysparklance] object RowRules {

  /** How the settings begin that hold the condition of a CHECK constraint. */
  val checkPrefix: String = "lance.spark.constraint."
}
