// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.expressions.{Expression, V2ExpressionUtils}
import org.apache.spark.sql.connector.expressions.filter.Predicate

/** Hides `V2ExpressionUtils.toCatalyst`, which supports predicates since 4.0. */
trait PredicateExpressions {

  /** Returns the expression of a predicate with columns by name, or `None` if a part has no
    * translation.
    */
  def expression(predicate: Predicate): Option[Expression] =
    V2ExpressionUtils.toCatalyst(predicate)
}
