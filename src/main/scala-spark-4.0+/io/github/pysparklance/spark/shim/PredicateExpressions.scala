// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.{Expression, V2ExpressionUtils}
import org.apache.spark.sql.connector.expressions.filter.Predicate

/** Hides `V2ExpressionUtils.toCatalyst`, which takes predicates since 4.0. */
trait PredicateExpressions {

  /** A condition that Spark handed over, its columns by name; none when it has parts that Spark knows no way back for.
    */
  def expression(predicate: Predicate): Option[Expression] =
    V2ExpressionUtils.toCatalyst(predicate)
}
