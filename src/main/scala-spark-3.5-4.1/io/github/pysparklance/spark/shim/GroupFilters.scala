// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.WriteDelta

/** Hides the field `groupFilterCondition` of `WriteDelta`, which Spark has since 4.2. */
private[spark] object GroupFilters {

  /** Returns the command without the query for the groups of rows that it changes. */
  def without(delta: WriteDelta): WriteDelta = delta
}
