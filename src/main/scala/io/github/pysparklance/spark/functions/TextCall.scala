// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{BooleanType, DataType}

/** A condition on words in a plan. Unlike calls of other functions, Spark does not translate it for
  * data sources: its translation fails if a call is an operand of AND, OR, or NOT in a condition
  * like `(lance_match(c, 'x') AND b) IS NULL`.
  *
  * @param children the texts
  */
final private[spark] case class TextCall(
    condition: TextCondition,
    override val children: Seq[Expression]
) extends Expression
    with CodegenFallback {
  override def nullable: Boolean = true

  override def dataType: DataType = BooleanType

  override def foldable: Boolean = children.forall(_.foldable)

  override def prettyName: String = condition.name()

  override def eval(input: InternalRow): Any =
    condition.produceResult(InternalRow.fromSeq(children.map(_.eval(input))))

  override def toString: String = s"$prettyName(${children.mkString(", ")})"

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): TextCall =
    copy(children = newChildren)
}
