// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Options of the target of a command. Hides that Spark drops them up to 3.5. */
private[sql] object TargetOptions {

  /** The target with other options. */
  def set(target: DataSourceV2Relation, options: CaseInsensitiveStringMap): DataSourceV2Relation =
    target.copy(options = options)
}
