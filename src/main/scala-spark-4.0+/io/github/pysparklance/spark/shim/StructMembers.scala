// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.{Expression, GetStructField}

/** Accesses struct fields in column vectors. Hides that before Spark 4.0, `ColumnarRow.get` returns
  * an arbitrary value for null, which an interpreted `GetStructField` does not check.
  */
private[spark] object StructMembers {
  def member(struct: Expression, ordinal: Int, name: String): Expression =
    GetStructField(struct, ordinal, Some(name))
}
