// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}

import io.github.pysparklance.spark.common.LanceErrors

/** The vector and JSON functions as functions of a session, whatever its catalogs:
  * `l2_distance(a, b)`.
  */
private[spark] object SessionFunctions {

  def inject(extensions: SparkSessionExtensions): Unit = LanceFunction.all.foreach { function =>
    val usage = s"_FUNC_(${function.arguments}) - ${function.meaning}."
    val info = description(function.getClass, function.name(), usage)
    val builder = (arguments: Seq[Expression]) =>
      try function.of(arguments)
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
}
