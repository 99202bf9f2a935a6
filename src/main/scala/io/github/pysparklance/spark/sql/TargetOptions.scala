// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.github.pysparklance.spark.catalog.LanceSparkTable

/** Sets options of the target of a command. They are also set on the table, because Spark does not
  * pass them to all parts of a command.
  */
private[sql] object TargetOptions {

  /** Returns the target with other options. */
  def set(target: DataSourceV2Relation, options: CaseInsensitiveStringMap): DataSourceV2Relation =
    target.table match {
      case t: LanceSparkTable =>
        target.copy(table = t.withCommandOptions(options), options = options)
      case _ => target.copy(options = options)
    }
}
