// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{
  ApplyFunctionExpression,
  BinaryExpression,
  Expression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.index.json.JsonSelector

/** A call of a JSON function in a plan. Spark translates calls of catalog functions for data
  * sources, and fails if one that returns a boolean is an operand of AND, OR, or NOT. It does not
  * translate this expression.
  *
  * @param left the document
  * @param right the key or path
  */
final private[spark] case class JsonCall(
    function: JsonFunction,
    override val left: Expression,
    override val right: Expression
) extends BinaryExpression {

  @transient private lazy val evaluation = new JsonEvaluation(function)

  override def dataType: DataType = function.resultType

  override def nullable: Boolean = true

  override def prettyName: String = function.functionName

  override def toString: String = s"$prettyName($left, $right)"

  override def sql: String = s"$prettyName(${left.sql}, ${right.sql})"

  override protected def nullSafeEval(document: Any, key: Any): Any =
    evaluation(document.asInstanceOf[UTF8String], key.asInstanceOf[UTF8String])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val call = ctx.addReferenceObj("json", evaluation, classOf[JsonEvaluation].getName)
    val boxed = CodeGenerator.boxedType(dataType)
    val result = ctx.freshName("result")
    nullSafeCodeGen(
      ctx,
      ev,
      (document, key) =>
        s"""
           |$boxed $result = ($boxed) $call.apply($document, $key);
           |if ($result == null) ${ev.isNull} = true; else ${ev.value} = $result;
           |""".stripMargin
    )
  }

  override protected def withNewChildrenInternal(left: Expression, right: Expression): JsonCall =
    copy(left = left, right = right)
}

/** Evaluates a function. Keeps the last selector, because it is the same for most rows. */
final private[spark] class JsonEvaluation(function: JsonFunction) extends Serializable {
  @transient @volatile private var last: (UTF8String, JsonSelector) = null

  def apply(document: UTF8String, key: UTF8String): Any = {
    var known = last
    if (known == null || known._1 != key) {
      known = (key.clone(), function.parse(key.toString))
      last = known
    }
    function.evaluate(document, known._2)
  }
}

/** Replaces calls of the functions of a catalog, so that their conditions can use indices. */
private[spark] object JsonCalls extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveExpressions {
    case ApplyFunctionExpression(f: BoundJsonFunction, Seq(document, key)) =>
      JsonCall(f.function, document, key)
  }
}
