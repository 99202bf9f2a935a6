// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.connector.catalog.ColumnDefaultValue
import org.apache.spark.sql.connector.catalog.TableChange.UpdateColumnDefaultValue

/** Hides `DefaultValue.getExpression` and the default of `UpdateColumnDefaultValue`, which is a text before 4.1. */
private[spark] object DefaultValues {

  /** The SQL of what rows get that are written without the column. */
  private[spark] def current(default: ColumnDefaultValue): Option[String] = Option(default.getSql)

  /** The SQL that a change gives a column; none if it takes the default away. */
  def updated(change: UpdateColumnDefaultValue): Option[String] =
    Option(change.newDefaultValue()).filter(_.nonEmpty)
}
