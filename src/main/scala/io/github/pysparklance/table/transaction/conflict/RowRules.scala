// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.conflict

import io.github.pysparklance.table.manifest.Manifest

/** Settings of a table that hold for all of its rows: writers check what they add against those of the version they
  * began with.
  */
private[pysparklance] object RowRules {

  /** How the settings begin that hold the condition of a CHECK constraint. */
  val checkPrefix: String = "lance.spark.constraint."

  /** The rules among the settings of a version: rows that were checked against others have to be checked anew. */
  def of(config: Map[String, String]): Map[String, String] =
    config.filter(_._1.startsWith(checkPrefix))

  /** Whether rows that were checked against one version hold in the other. */
  def areSame(one: Manifest, other: Manifest): Boolean = of(one.config) == of(other.config)
}
