// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import scala.collection.mutable

import io.github.pysparklance.spark.shim.{SparkShim, SqlParameters}

/** Puts values in the place of the parameter markers `:name` and `?` of a statement. Spark can only do so in statements
  * of its own grammar.
  */
private[spark] object Parameters {

  /** The statement with its values.
    *
    * @throws org.apache.spark.sql.AnalysisException when a marker has no value
    */
  def substituted(sql: String, tokens: IndexedSeq[Token], values: SqlParameters): String = {
    val text = new mutable.StringBuilder
    var done = 0
    var positional = 0
    def put(from: Int, end: Int, value: Option[String], name: String): Unit = {
      text ++= sql.substring(done, from) + ' ' + value.getOrElse(throw unbound(name))
      done = end
    }
    tokens.indices.foreach { i =>
      val token = tokens(i)
      if (token.is("?")) {
        put(
          token.start,
          token.end,
          values.positional.lift(positional).map(_.sql),
          s"_${token.start}"
        )
        positional += 1
      } else if (isMarker(tokens, i)) {
        val name = tokens(i + 1)
        put(token.start, name.end, values.named.get(name.text).map(_.sql), name.text)
      }
    }
    text ++= sql.substring(done)
    text.toString
  }

  /** A colon and a word that follow no value: `a:b` is a field of a variant, `a::b` a cast. */
  private def isMarker(tokens: IndexedSeq[Token], at: Int): Boolean =
    tokens(at).is(":") && tokens.lift(at + 1).exists { name =>
      name.kind == TokenKind.Word && name.start == tokens(at).end
    } && !tokens.lift(at - 1).exists { before =>
      val isValue = before.kind != TokenKind.Symbol || ":)]".contains(before.text)
      isValue && before.end == tokens(at).start
    }

  private def unbound(name: String): Throwable =
    SparkShim.analysisException("UNBOUND_SQL_PARAMETER", Map("name" -> name), null)
}
