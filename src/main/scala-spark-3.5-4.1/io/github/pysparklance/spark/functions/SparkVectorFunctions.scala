// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import scala.annotation.unused

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.expressions.Expression

/** Hides that Spark has vector functions of its own since 4.2. */
private[spark] object SparkVectorFunctions {

  /** Lets sources see the functions in orders. */
  def inject(@unused extensions: SparkSessionExtensions): Unit = ()

  /** The function of a canonical name. */
  def of(@unused canonicalName: String, @unused arguments: Seq[Expression]): Option[Expression] =
    None

  /** Whether an expression is the call of such a function. */
  def isCall(@unused e: Expression): Boolean = false
}
