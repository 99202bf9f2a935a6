// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.analysis.{UnresolvedIdentifier, UnresolvedTableOrView}
import org.apache.spark.sql.catalyst.plans.logical.{CreateTableLike, LogicalPlan}

/** Hides Spark's plan of `CREATE TABLE … LIKE`, which supports all catalogs since Spark 4.2. */
private[spark] object SparksTableLike {

  /** @param target name of the new table
    * @param source name of the existing table
    */
  def apply(
      target: Seq[String],
      source: Seq[String],
      location: Option[String],
      provider: Option[String],
      properties: Map[String, String],
      ifNotExists: Boolean
  ): LogicalPlan = CreateTableLike(
    UnresolvedIdentifier(target),
    UnresolvedTableOrView(source, "CREATE TABLE LIKE", allowTempView = true),
    location,
    provider,
    None,
    properties,
    ifNotExists
  )
}
