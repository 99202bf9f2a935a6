// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

/** The kind of a token. */
sealed private[spark] trait TokenKind

/** Kinds of tokens. */
private[spark] object TokenKind {

  /** A keyword, an unquoted name, or an integer. */
  case object Word extends TokenKind

  /** A name in backquotes. */
  case object Quoted extends TokenKind

  /** A string in single quotes, or a raw string after `R`. */
  case object Text extends TokenKind

  /** Text in double quotes: a string, or a name, depending on the session configuration. */
  case object DoubleQuoted extends TokenKind

  /** Any other character. */
  case object Symbol extends TokenKind
}

/** A token of SQL text.
  *
  * @param start position of its first character in the statement
  * @param end position after its last character
  */
final private[spark] case class Token(kind: TokenKind, text: String, start: Int, end: Int) {

  /** Whether this is a keyword, ignoring case. */
  def is(keyword: String): Boolean = kind match {
    case TokenKind.Word | TokenKind.Symbol => text.equalsIgnoreCase(keyword)
    case _ => false
  }
}

/** Splits a statement into tokens like Spark's lexer, as far as Lance statements need it. Supports
  * words, quoted names, strings with all escapes, and nested comments. Dots, and each character of
  * operators, are separate tokens. Parsers take the text from the first to the last token of a
  * part.
  */
private[spark] object Tokens {

  /** Returns the tokens. Returns `None` if a string or comment is not terminated, which Spark
    * reports.
    */
  def apply(sql: String): Option[IndexedSeq[Token]] = {
    val found = IndexedSeq.newBuilder[Token]
    var at = 0
    while (at >= 0 && at < sql.length) {
      val start = at
      at = sql.charAt(at) match {
        case c if isBlank(c) => at + 1
        case '-' if sql.startsWith("--", at) => lineEnd(sql, at)
        case '/' if sql.startsWith("/*", at) => commentEnd(sql, at)
        case _ =>
          val (kind, end) = token(sql, at)
          if (end >= 0) found += Token(kind, sql.substring(start, end), start, end)
          end
      }
    }
    if (at < 0) None else Some(found.result())
  }

  /** Returns the kind and the end of the token at a position; the end is -1 if it is not
    * terminated.
    */
  private def token(sql: String, at: Int): (TokenKind, Int) = sql.charAt(at) match {
    case '\'' => (TokenKind.Text, quoteEnd(sql, at, escapes = true))
    case '"' => (TokenKind.DoubleQuoted, quoteEnd(sql, at, escapes = true))
    case '`' => (TokenKind.Quoted, quoteEnd(sql, at, escapes = false))
    case 'r' | 'R' if at + 1 < sql.length && "'\"".indexOf(sql.charAt(at + 1).toInt) >= 0 =>
      val close = sql.indexOf(sql.charAt(at + 1).toInt, at + 2)
      (TokenKind.Text, if (close < 0) -1 else close + 1)
    case c if isWord(c) => (TokenKind.Word, wordEnd(sql, at))
    case _ => (TokenKind.Symbol, at + 1)
  }

  private def isBlank(c: Char): Boolean = Character.isWhitespace(c) || Character.isSpaceChar(c)

  private def isWord(c: Char): Boolean = Character.isLetterOrDigit(c) || c == '_'

  private def wordEnd(sql: String, at: Int): Int = {
    val end = sql.indexWhere(!isWord(_), at)
    if (end < 0) sql.length else end
  }

  /** A backslash at the end of a line continues the comment on the next line. */
  private def lineEnd(sql: String, at: Int): Int = {
    val end = sql.indexWhere(c => c == '\n' || c == '\r', at)
    if (end < 0) sql.length
    else if (sql.charAt(end) == '\n' && sql.charAt(end - 1) == '\\') lineEnd(sql, end + 1)
    else end
  }

  private def commentEnd(sql: String, from: Int): Int = {
    var depth = 1
    var at = from + 2
    while (depth > 0 && at >= 0) {
      val close = sql.indexOf("*/", at)
      val open = sql.indexOf("/*", at)
      val nested = open >= 0 && open < close
      depth += (if (nested) 1 else -1)
      at = if (close < 0) -1 else if (nested) open + 2 else close + 2
    }
    at
  }

  /** A doubled quote is part of the text. */
  private def quoteEnd(sql: String, from: Int, escapes: Boolean): Int = {
    val quote = sql.charAt(from)
    var at = from + 1
    var end = -1
    while (end < 0 && at < sql.length) {
      val c = sql.charAt(at)
      if (c == quote)
        if (at + 1 < sql.length && sql.charAt(at + 1) == quote) at += 2 else end = at + 1
      else at += (if (escapes && c == '\\') 2 else 1)
    }
    end
  }
}
