// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{Assignment, UpdateAction}
import org.apache.spark.sql.connector.catalog.TableCapability

/** Hides `AUTOMATIC_SCHEMA_EVOLUTION`, which Spark has since 4.1, and the flag of `UpdateAction`
  * for `UPDATE SET *`.
  */
private[spark] object SchemaEvolution {

  /** Capabilities of a table that supports schema evolution in MERGE. */
  val capabilities: Seq[TableCapability] = Seq(TableCapability.AUTOMATIC_SCHEMA_EVOLUTION)

  /** Returns the assignments of `UPDATE SET *`. */
  def updateStar(condition: Option[Expression], assignments: Seq[Assignment]): UpdateAction =
    UpdateAction(condition, assignments, fromStar = true)
}
