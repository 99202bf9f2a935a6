// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, GetStructField}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils

/** Members of structs in column vectors. Hides that before Spark 4.0 `ColumnarRow.get` returns anything for a null, which
  * `GetStructField` does not check without generated code, and fails for the types CHAR and VARCHAR.
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
