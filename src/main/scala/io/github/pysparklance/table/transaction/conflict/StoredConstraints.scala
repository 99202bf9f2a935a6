// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.conflict

import io.github.pysparklance.table.manifest.Manifest

/** Table properties that constrain all rows. Writers check new rows against the constraints of the
  * version they started from.
  */
private[pysparklance] object StoredConstraints {

  /** Prefix of the properties that contain the condition of a CHECK constraint. */
  val checkPrefix: String = "lance.spark.constraint."

  /** Returns the constraints among the properties of a version. If they differ, rows must be
    * checked again.
    */
  def of(config: Map[String, String]): Map[String, String] =
    config.filter(_._1.startsWith(checkPrefix))

  /** Whether rows that were checked against one version are valid in the other. */
  def areSame(one: Manifest, other: Manifest): Boolean = of(one.config) == of(other.config)
}
