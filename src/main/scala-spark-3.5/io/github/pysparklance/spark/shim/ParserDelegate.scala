// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** The methods of Spark's parser interface that only some versions have. Spark 3.5 has none of them. */
trait ParserDelegate extends ParserInterface {

  /** Spark's parser, ready for a text. */
  protected def prepared: ParserInterface

  /** Called with each name that is not part of a statement, before it is looked up. */
  protected def named(name: Seq[String]): Unit
}
