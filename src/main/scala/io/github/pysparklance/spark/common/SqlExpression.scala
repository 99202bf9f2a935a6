// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.MultiAlias
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}

import io.github.pysparklance.spark.shim.SessionShim

/** Parses the text of a condition or value.
  *
  * Spark's parser accepts a name after an expression, without `AS` and in any word that is not
  * reserved. So it takes the last word of `k = 1 AND` for the name of `k = 1`. Conditions have no
  * names, and Spark would ignore it.
  */
private[spark] object SqlExpression {

  /** Parses an expression with the parser of a session.
    *
    * @throws org.apache.spark.sql.AnalysisException if it is not an expression, or has a name
    */
  def parse(session: SparkSession, text: String): Expression = {
    val parsed = SessionShim.parser(session).parseExpression(text)
    if (hasName(parsed))
      throw LanceErrors.rejected(
        s"$text: this is not a complete expression, or has words after its end. Spark takes the " +
          "last word for a name of the result"
      )
    parsed
  }

  /** Checks that a text is an expression without a name. Returns the text. */
  def check(session: SparkSession, text: String): String = {
    parse(session, text): Unit
    text
  }

  /** Whether the parser found a name after the expression. */
  def hasName(parsed: Expression): Boolean = parsed match {
    case _: Alias | _: MultiAlias => true
    case _ => false
  }
}
