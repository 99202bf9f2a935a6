// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

/** Hides the constructor of `ParseException`, which takes two positions before 4.1. */
private[shim] object SyntaxErrors {
  def apply(text: String, at: Origin, parameters: Map[String, String]): ParseException =
    new ParseException(Some(text), at, at, "PARSE_SYNTAX_ERROR", parameters)
}
