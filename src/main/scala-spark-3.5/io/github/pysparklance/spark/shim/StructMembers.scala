// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, GetStructField}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils

/** Accesses struct fields in column vectors. Before Spark 4.0, `ColumnarRow.get` returns an
  * arbitrary value for null, and fails for CHAR and VARCHAR. `GetStructField` does not check for
  * null if it is interpreted.
  */
private[spark] object StructMembers {
  def member(struct: Expression, ordinal: Int, name: String): Expression =
    new Checked(struct, ordinal, Some(name))

  final private class Checked(struct: Expression, ordinal: Int, name: Option[String])
      extends GetStructField(struct, ordinal, name) {
    private lazy val readAs = CharVarcharUtils.replaceCharVarcharWithString(dataType)

    override protected def nullSafeEval(input: Any): Any = {
      val row = input.asInstanceOf[InternalRow]
      if (row.isNullAt(ordinal)) null else row.get(ordinal, readAs)
    }

    override protected def withNewChildInternal(newChild: Expression): GetStructField =
      new Checked(newChild, ordinal, name)
  }
}
