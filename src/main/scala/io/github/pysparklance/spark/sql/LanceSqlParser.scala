// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.VariableSubstitution

import io.github.pysparklance.spark.shim.{ParserShim, SqlParameters}

/** Parses Lance statements. Delegates all others to the session's parser, with unchanged text and
  * parameters.
  *
  * @param delegate parser for other statements, and for names and expressions in Lance statements
  * @param statements Lance statements
  * @param ready called before a text is parsed
  * @param loaded called with the first part of a qualified name outside of statements
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
      // The first word excludes most other statements. A variable could expand to any word.
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
