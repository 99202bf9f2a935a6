// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction

/** A SQL function of two arguments, in sessions and in catalogs. */
trait LanceFunction extends UnboundFunction with Serializable {

  /** Name of the function in SQL. */
  def functionName: String

  /** Names of the arguments, for `DESCRIBE FUNCTION`. */
  def arguments: String

  /** The result, for `DESCRIBE FUNCTION`. */
  def meaning: String

  final override def name(): String = functionName

  final override def description(): String = s"$functionName($arguments) - $meaning"

  /** A name that no function of others has. */
  final def canonicalName: String = s"io.github.pysparklance.$functionName"

  /** Returns the call of resolved arguments.
    *
    * @throws UnsupportedOperationException for arguments of other types
    */
  private[spark] def of(arguments: Seq[Expression]): Expression
}

/** Finds functions. */
private[spark] object LanceFunction {
  val all: Seq[LanceFunction] = VectorFunction.all ++ JsonFunction.all

  /** Returns the function with a name, ignoring case. */
  def find(name: String): Option[LanceFunction] =
    all.find(_.functionName == name.toLowerCase(Locale.ROOT))
}
