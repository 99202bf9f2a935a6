// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util.regex.Pattern

import org.apache.spark.sql.internal.SQLConf

/** Finds numbers with large exponents in stored expressions. Spark would compute all digits of such
  * a decimal. `1E600000000BD` has 600 million digits.
  */
private[shim] object HugeNumbers {
  private val decimal = Pattern.compile("[0-9.][eE][+-]?[0-9]{3,}+[bB][dD]")

  /** Numbers without a suffix are decimals in sessions with a legacy configuration. */
  private val number = Pattern.compile("[0-9.][eE][+-]?[0-9]{3,}+")

  /** A text that a cast, or a comparison with a decimal, converts to a decimal. */
  private val text = Pattern.compile("\\s*+[+-]?[0-9.]++[eE][+-]?[0-9]{3,}+\\s*+")

  /** Whether an expression has such a literal. Must be called before it is parsed. */
  def inSql(sql: String): Boolean = {
    val pattern = if (SQLConf.get.exponentLiteralAsDecimalEnabled) number else decimal
    pattern.matcher(sql).find()
  }

  /** Whether the text of a literal is such a number. */
  def isText(value: String): Boolean = text.matcher(value).matches()

  /** Whether a schema in SQL has decimals. */
  def hasDecimals(schema: String): Boolean = decimalType.matcher(schema).find()

  private val decimalType = Pattern.compile("(?i)\\b(?:decimal|dec|numeric)\\b")
}
