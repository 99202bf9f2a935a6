// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, ExpressionInfo}
import org.apache.spark.sql.types.NullType

import io.github.pysparklance.spark.common.LanceErrors

/** The vector functions as functions of a session, whatever its catalogs: `l2_distance(a, b)`. */
private[spark] object SessionFunctions {

  def inject(extensions: SparkSessionExtensions): Unit = VectorFunction.all.foreach { function =>
    val name = function.functionName
    val info = description(function.getClass, name, s"_FUNC_(vector, query) - ${function.meaning}.")
    extensions.injectFunction((FunctionIdentifier(name), info, of(function, _)))
  }

  /** The output of `DESCRIBE FUNCTION` for a function.
    *
    * @param usage usage with `_FUNC_` for the name
    */
  def description(implementation: Class[_], name: String, usage: String): ExpressionInfo =
    new ExpressionInfo(
      implementation.getName,
      null,
      name,
      usage,
      "",
      "",
      "",
      "",
      "",
      "",
      "built-in"
    )

  private def of(function: VectorFunction, arguments: Seq[Expression]): Expression =
    try function.of(typed(arguments))
    catch { case e: UnsupportedOperationException => throw LanceErrors.rejected(e.getMessage) }

  /** A null without a type gets that of the other argument. */
  private def typed(arguments: Seq[Expression]): Seq[Expression] = arguments match {
    case Seq(a, b) if a.dataType == NullType => Seq(Cast(a, b.dataType), b)
    case Seq(a, b) if b.dataType == NullType => Seq(a, Cast(b, a.dataType))
    case others => others
  }
}
