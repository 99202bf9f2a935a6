// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** The methods of Spark's parser interface that only some Spark lines have. Spark 3.5 has none. */
trait ParserDelegate extends ParserInterface {

  /** Returns Spark's parser after preparing it for a text. */
  protected def prepared: ParserInterface

  /** Called with each name outside of statements, before it is resolved. */
  protected def named(name: Seq[String]): Unit
}
