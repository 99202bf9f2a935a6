// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{Assignment, UpdateAction}
import org.apache.spark.sql.connector.catalog.TableCapability

/** Hides `AUTOMATIC_SCHEMA_EVOLUTION`, which Spark has since 4.1, and that an `UpdateAction` knows since then whether it was
  * `UPDATE SET *`.
  */
private[spark] object SchemaEvolution {

  /** What a table says that takes new columns from a MERGE. */
  val capabilities: Seq[TableCapability] = Nil

  /** The assignments of an `UPDATE SET *`. */
  def updateStar(condition: Option[Expression], assignments: Seq[Assignment]): UpdateAction =
    UpdateAction(condition, assignments)
}
