// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, ExpressionInfo}
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.types.NullType

import io.github.pysparklance.spark.common.LanceErrors

/** The vector and JSON functions as functions of a session, whatever its catalogs:
  * `l2_distance(a, b)`.
  */
private[spark] object SessionFunctions {

  def inject(extensions: SparkSessionExtensions): Unit = {
    VectorFunction.all.foreach { f =>
      val usage = s"_FUNC_(vector, query) - ${f.meaning}."
      inject(extensions, f, usage)(arguments => f.of(typed(arguments)))
    }
    JsonFunction.all.foreach { f =>
      inject(extensions, f, s"_FUNC_(document, key) - Returns ${f.meaning}.")(f.of)
    }
  }

  private def inject(extensions: SparkSessionExtensions, function: UnboundFunction, usage: String)(
      of: Seq[Expression] => Expression
  ): Unit = {
    val info = description(function.getClass, function.name(), usage)
    val builder = (arguments: Seq[Expression]) =>
      try of(arguments)
      catch { case e: UnsupportedOperationException => throw LanceErrors.rejected(e.getMessage) }
    extensions.injectFunction((FunctionIdentifier(function.name()), info, builder))
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

  /** A null without a type gets that of the other argument. */
  private def typed(arguments: Seq[Expression]): Seq[Expression] = arguments match {
    case Seq(a, b) if a.dataType == NullType => Seq(Cast(a, b.dataType), b)
    case Seq(a, b) if b.dataType == NullType => Seq(a, Cast(b, a.dataType))
    case others => others
  }
}
