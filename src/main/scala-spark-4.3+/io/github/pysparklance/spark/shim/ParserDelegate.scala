// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import org.apache.spark.sql.catalyst.parser.{
  ParserInterface,
  SqlStatementSplitResult,
  TemporalIdentifier
}
import org.apache.spark.sql.types.StructType

/** The methods of Spark's parser interface that only some Spark lines have. Spark 4.3 splits
  * scripts into statements, and parses names with a version.
  */
trait ParserDelegate extends ParserInterface {

  /** Returns Spark's parser after preparing it for a text. */
  protected def prepared: ParserInterface

  /** Called with each name outside of statements, before it is resolved. */
  protected def named(name: Seq[String]): Unit

  override def parseRoutineParam(text: String): StructType = prepared.parseRoutineParam(text)

  override def splitStatements(text: String): SqlStatementSplitResult =
    prepared.splitStatements(text)

  override def parseTemporalTableIdentifier(text: String): TemporalIdentifier = {
    val name = prepared.parseTemporalTableIdentifier(text)
    named(name.nameParts)
    name
  }
}
