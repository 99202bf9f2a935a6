// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, GetStructField}

/** Members of structs in column vectors. Hides that before Spark 4.0 `ColumnarRow.get` returns anything for a null, which
  * `GetStructField` does not check without generated code.
  */
private[spark] object StructMembers {
  def member(struct: Expression, ordinal: Int, name: String): Expression =
    new Checked(struct, ordinal, Some(name))

  final private class Checked(struct: Expression, ordinal: Int, name: Option[String])
      extends GetStructField(struct, ordinal, name) {
    override protected def nullSafeEval(input: Any): Any =
      if (input.asInstanceOf[InternalRow].isNullAt(ordinal)) null else super.nullSafeEval(input)

    override protected def withNewChildInternal(newChild: Expression): GetStructField =
      new Checked(newChild, ordinal, name)
  }
}
