// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import io.github.pysparklance.spark.shim.ParameterMarker

/** Replaces the parameter markers `:name` and `?` of a statement by values. Spark only supports
  * this for statements of its own grammar.
  */
private[spark] object Parameters {

  /** Returns the markers of a statement, in order. */
  def markers(tokens: IndexedSeq[Token]): Seq[ParameterMarker] = tokens.indices.flatMap { i =>
    val token = tokens(i)
    if (token.is("?")) Some(ParameterMarker(token.start, token.end, None))
    else if (isMarker(tokens, i)) {
      val name = tokens(i + 1)
      Some(ParameterMarker(token.start, name.end, Some(name.text)))
    } else None
  }

  /** Returns the statement with the SQL text of values.
    *
    * @param markers markers in order
    */
  def substituted(sql: String, markers: Seq[ParameterMarker], values: Seq[String]): String = {
    val before = 0 +: markers.map(_.end)
    val parts = markers.zip(before).zip(values).map { case ((m, from), value) =>
      s"${sql.substring(from, m.start)} $value"
    }
    parts.mkString + sql.substring(before.last)
  }

  /** Whether a parameter name starts here: a colon and a word that do not follow a value. `a:b` is
    * a field of a variant, and `a::b` is a cast.
    */
  private def isMarker(tokens: IndexedSeq[Token], at: Int): Boolean =
    tokens(at).is(":") && tokens.lift(at + 1).exists { name =>
      name.kind == TokenKind.Word && name.start == tokens(at).end
    } && !tokens.lift(at - 1).exists { before =>
      val isValue = before.kind != TokenKind.Symbol || ":)]".contains(before.text)
      isValue && before.end == tokens(at).start
    }
}
