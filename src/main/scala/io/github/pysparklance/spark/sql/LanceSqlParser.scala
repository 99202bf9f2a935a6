// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.VariableSubstitution

import io.github.pysparklance.spark.shim.{ParserShim, SqlParameters}

/** Reads our own statements and hands all others to the session's parser, text and parameters unchanged.
  *
  * @param delegate what reads all others, and the names and expressions in ours
  * @param statements ours
  * @param ready called before any text is read
  * @param loaded called with the first part of a qualified name that is not part of a statement
  */
final private[spark] class LanceSqlParser(
    delegate: ParserInterface,
    statements: Seq[Statement],
    ready: () => Unit,
    loaded: String => Unit
) extends ParserShim(delegate) {
  private val firstWords = statements.map(_.usage.takeWhile(_.isLetter)).distinct :+ "DESC"

  override protected def prepare(): Unit = ready()

  override protected def named(name: Seq[String]): Unit = if (name.length > 1) loaded(name.head)

  override protected def own(sql: String, parameters: SqlParameters): Option[LogicalPlan] =
    for {
      first <- Tokens(sql)
      // Most statements are seen not to be ours by their first word; a variable can be any.
      if first.headOption.exists(t => t.is("$") || firstWords.exists(t.is))
      expanded = new VariableSubstitution().substitute(sql)
      tokens <- if (expanded == sql) Some(first) else Tokens(expanded)
      statement <- statements.find(s => s.begins(new Cursor(expanded, tokens, delegate, s.usage)))
      markers = Parameters.markers(tokens)
    } yield bound(markers, parameters) { values =>
      val text = Parameters.substituted(expanded, markers, values.map(_.sql))
      val all =
        if (markers.isEmpty) tokens
        else Tokens(text).getOrElse(throw new IllegalStateException(s"values made it $text"))
      val cursor = new Cursor(text, all, delegate, statement.usage)
      val plan = statement.parse(cursor)
      cursor.end()
      plan
    }
}
