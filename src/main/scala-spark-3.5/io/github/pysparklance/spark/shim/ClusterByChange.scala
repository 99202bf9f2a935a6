// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.types.StructType

/** Hides `ALTER TABLE … CLUSTER BY`, which Spark has since 4.0: here there is no such change. */
private[spark] object ClusterByChange {

  /** The columns of the new clustering key, if a change sets one. */
  def columns(change: TableChange, table: StructType): Option[Seq[NamedReference]] = None
}
