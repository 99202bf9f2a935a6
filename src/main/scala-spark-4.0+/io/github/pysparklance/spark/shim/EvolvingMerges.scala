// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable

/** Hides `MERGE WITH SCHEMA EVOLUTION`, which Spark has since 4.0. */
private[spark] object EvolvingMerges {

  /** Whether a MERGE evolves the schema of its target. */
  def evolves(merge: MergeIntoTable): Boolean = merge.withSchemaEvolution
}
