// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.types.StructType

/** The methods of Spark's parser interface that only some Spark lines have. Spark 4.0 parses
  * parameters of functions.
  */
trait ParserDelegate extends ParserInterface {

  /** Returns Spark's parser after preparing it for a text. */
  protected def prepared: ParserInterface

  /** Called with each name outside of statements, before it is resolved. */
  protected def named(name: Seq[String]): Unit

  override def parseRoutineParam(text: String): StructType = prepared.parseRoutineParam(text)
}
