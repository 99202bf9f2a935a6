// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.ColumnDefaultValue
import org.apache.spark.sql.connector.catalog.TableChange.UpdateColumnDefaultValue
import org.apache.spark.sql.connector.util.V2ExpressionSQLBuilder

/** Hides differences of column defaults: `DefaultValue.getExpression`, and the default of
  * `UpdateColumnDefaultValue`, are objects since 4.1.
  */
private[spark] object DefaultValues {

  /** Returns the SQL text of the default for rows that are written without the column. */
  private[shim] def current(default: ColumnDefaultValue): Option[String] =
    Option(default.getSql)
      .orElse(Option(default.getExpression).map(new V2ExpressionSQLBuilder().build(_)))

  /** Returns the SQL text of the new default, or `None` if the change drops the default. */
  def updated(change: UpdateColumnDefaultValue): Option[String] =
    Option(change.newCurrentDefault()).map(_.getSql)
}
