// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** A parser that leaves texts to Spark's: the methods that only some lines of Spark have. These lines have none. */
trait ParserDelegate extends ParserInterface {

  /** Spark's parser, ready for a text. */
  protected def prepared: ParserInterface

  /** Called with each name that is not part of a statement, before it is looked up. */
  protected def named(name: Seq[String]): Unit
}
