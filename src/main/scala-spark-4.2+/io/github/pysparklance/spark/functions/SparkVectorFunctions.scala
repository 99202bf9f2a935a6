// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{Expression, VectorFunctionImplUtils}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{LIMIT, SORT}
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.types.{ArrayType, DataType, FloatType, StringType}

/** Hides that Spark has vector functions of its own since 4.2: `vector_l2_distance`,
  * `vector_cosine_similarity`, and `vector_inner_product`. Spark calls static methods for them,
  * which sources do not see.
  */
private[spark] object SparkVectorFunctions {
  private val methods = Set("vectorL2Distance", "vectorCosineSimilarity", "vectorInnerProduct")
  private val prefix = "org.apache.spark.sql."
  private val implementation = classOf[VectorFunctionImplUtils]

  /** Lets sources see the functions in orders. */
  def inject(extensions: SparkSessionExtensions): Unit = extensions.injectOptimizerRule(_ => Named)

  /** The function of a canonical name. */
  def of(canonicalName: String, arguments: Seq[Expression]): Option[Expression] = {
    val method = canonicalName.stripPrefix(prefix)
    if (canonicalName.startsWith(prefix) && methods(method))
      Some(StaticInvoke(implementation, FloatType, method, arguments, arguments.map(_.dataType)))
    else None
  }

  /** Whether an expression is the call of such a function. */
  def isCall(e: Expression): Boolean = e match {
    case call: StaticInvoke =>
      call.staticObject == implementation && methods(call.functionName)
    case _ => false
  }

  /** Gives the calls a function that names them. They are evaluated as before. Spark has no tree
    * pattern for the calls, so the patterns of the plan limit the search for them.
    */
  private object Named extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan =
      if (!plan.containsAllPatterns(LIMIT, SORT)) plan
      else
        plan.transformAllExpressions {
          case call: StaticInvoke if isCall(call) && call.scalarFunction.isEmpty =>
            call.copy(scalarFunction = Some(new Name(call.functionName)))
        }
  }

  final private class Name(method: String) extends ScalarFunction[java.lang.Float] {
    override def inputTypes(): Array[DataType] =
      Array(ArrayType(FloatType), ArrayType(FloatType), StringType)
    override def resultType(): DataType = FloatType
    override def name(): String = method
    override def canonicalName(): String = prefix + method
    override def produceResult(row: InternalRow): java.lang.Float =
      throw new UnsupportedOperationException(s"$method is evaluated by Spark")
    override def equals(other: Any): Boolean = other match {
      case n: Name => n.name() == method
      case _ => false
    }
    override def hashCode: Int = method.hashCode
  }
}
