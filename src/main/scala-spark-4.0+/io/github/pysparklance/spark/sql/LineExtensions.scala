// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.SparkSessionExtensions

/** What the extension adds to Spark 3.5, which Spark has since 4.0. */
private[spark] object LineExtensions {

  /** Statements that Spark lacks. */
  val statements: Seq[Statement] = Nil

  /** Adds rules, and parsers that see a statement before all others. */
  def inject(extensions: SparkSessionExtensions): Unit = ()
}
