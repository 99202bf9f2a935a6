// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.spark.common.SqlExpression
import io.github.pysparklance.spark.shim.ParserShim

/** Parses the tokens of a statement. Spark's parser parses names, types, and expressions.
  *
  * @param usage syntax of the statement, for errors
  */
final private[spark] class Cursor(
    sql: String,
    tokens: IndexedSeq[Token],
    parser: ParserInterface,
    usage: String
) {
  private var at = 0

  /** Whether these keywords or symbols come next. */
  def sees(words: String*): Boolean = seesAt(at, words)

  /** Whether a name comes next. */
  def seesName: Boolean = nameEnd.isDefined

  /** Whether a string comes next. */
  def seesString: Boolean = seesStringAt(at)

  /** Skips a name if it comes next. Returns whether it did. */
  def takeName(): Boolean = {
    val end = nameEnd
    end.foreach(i => at = i)
    end.isDefined
  }

  /** Skips a string if it comes next. Returns whether it did. */
  def takeString(): Boolean = {
    val found = seesString
    if (found) at += 1
    found
  }

  private def seesStringAt(i: Int): Boolean = tokens.lift(i).exists(t =>
    t.kind == TokenKind.Text || t.kind == TokenKind.DoubleQuoted
  )

  private def seesAt(from: Int, words: Seq[String]): Boolean =
    words.indices.forall(i => tokens.lift(from + i).exists(_.is(words(i))))

  /** Whether a keyword comes after the next token. */
  def seesSecondNext(word: String): Boolean = seesAt(at + 2, Seq(word))

  /** Whether a name comes next, followed by these keywords. */
  def seesAfterName(words: String*): Boolean = nameEnd.exists(seesAt(_, words))

  /** Skips these keywords if they come next. Returns whether they did. */
  def take(words: String*): Boolean = {
    val found = sees(words: _*)
    if (found) at += words.length
    found
  }

  /** Skips these keywords.
    *
    * @throws ParseException if they do not come next
    */
  def expect(words: String*): Unit =
    words.foreach(w => if (!take(w)) fail(if (w.head.isLetter) w else s"'$w'"))

  /** Parses the name of a table with its catalog and namespaces, or `IDENTIFIER('a.b')`. */
  def name(): Seq[String] =
    if (sees("IDENTIFIER", "(") && seesStringAt(at + 2)) {
      expect("IDENTIFIER", "(")
      val text = string()
      expect(")")
      parser.parseMultipartIdentifier(text)
    } else {
      val end = nameEnd.getOrElse(fail("a name"))
      val text = slice(at, end)
      at = end
      inPlace(text)(parser.parseMultipartIdentifier)
    }

  /** Position after the name that comes next. */
  private def nameEnd: Option[Int] =
    if (sees("IDENTIFIER", "(")) tokens.indices.drop(at).find(tokens(_).is(")")).map(_ + 1)
    else if (!isNamePart(at)) None
    else {
      var end = at + 1
      while (seesAt(end, Seq(".")) && isNamePart(end + 1)) end += 2
      Some(end)
    }

  private def isNamePart(i: Int): Boolean = tokens.lift(i).exists(t =>
    t.kind == TokenKind.Word || t.kind == TokenKind.Quoted || t.kind == TokenKind.DoubleQuoted
  )

  /** Parses a name without dots. */
  def identifier(): String = name() match {
    case Seq(one) => one
    case more => fail(s"a name without dots instead of ${more.mkString(".")}", at - 1)
  }

  /** Parses the name of a tag or branch: an identifier or a string. */
  def label(): String =
    if (tokens.lift(at).exists(_.kind == TokenKind.Text)) string() else identifier()

  /** Parses one or more items, separated by commas.
    *
    * @param item parses an item
    */
  def list[A](item: => A): Seq[A] = {
    val first = item
    first +: Iterator.continually(take(",")).takeWhile(identity).map(_ => item).toList
  }

  /** Parses a string literal. */
  def string(): String = {
    if (!seesString) fail("a string in quotes")
    literal(at + 1) match {
      case Literal(text: UTF8String, _: StringType) => text.toString
      case _ => fail("a string in quotes", at - 1)
    }
  }

  /** Parses a non-negative integer. Supports unsigned 64-bit numbers, because detached versions
    * have such numbers.
    */
  def number(): Long = {
    val parsed = tokens.lift(at).filter(_.kind == TokenKind.Word).flatMap { t =>
      scala.util.Try(java.lang.Long.parseUnsignedLong(t.text)).toOption
    }
    val value = parsed.getOrElse(fail("a whole number"))
    at += 1
    value
  }

  private def literal(end: Int): Any = {
    val text = slice(at, end)
    val parsed = inPlace(text)(parser.parseExpression)
    at = end
    parsed
  }

  /** Parses an expression that ends before one of these keywords, outside of parentheses, or at the
    * end. Returns its text, which Spark's parser has checked.
    */
  def expression(until: Seq[String]*): String = piece(unnamed, until)

  /** Parses an expression. Its last word must not be a name, see [[SqlExpression]]. */
  private def unnamed(text: String): Unit =
    if (SqlExpression.hasName(parser.parseExpression(text)))
      fail("the rest of the expression, or its end", at - 1)

  /** Parses a query that ends at the closing parenthesis. Returns its text. */
  def query(): String = piece(parser.parseQuery, Nil)

  /** Parses a type that ends before one of these keywords. */
  def dataType(until: Seq[String]*): DataType =
    parser.parseDataType(piece(parser.parseDataType, until, "([<", ")]>"))

  private def piece(
      check: String => Any,
      until: Seq[Seq[String]],
      open: String = "([",
      close: String = ")]"
  ): String = {
    val start = at
    skip(until, open, close)
    if (at == start) fail("an expression")
    val text = slice(start, at)
    inPlace(text)(check): Unit
    text
  }

  /** Skips to one of these keywords, to the closing parenthesis, or to the end.
    *
    * @param open opening brackets whose content is skipped
    * @param close closing brackets
    */
  private def skip(until: Seq[Seq[String]], open: String = "([", close: String = ")]"): Unit = {
    var depth = 0
    def stops = depth == 0 && (until.exists(sees(_: _*)) || sees(")") || isEnd(at))
    while (at < tokens.length && !stops) {
      if (open.exists(c => sees(c.toString))) depth += 1
      if (close.exists(c => sees(c.toString))) depth -= 1
      at += 1
    }
  }

  /** Whether the parentheses that open here contain these words, outside of inner parentheses. */
  def containsInside(words: String*): Boolean = {
    val start = at
    val found = take("(") && {
      skip(Seq(words))
      sees(words: _*)
    }
    at = start
    found
  }

  /** Parses options after `WITH`: `(a = 1, 'b' = 'c')`. The `=` before a string is optional.
    *
    * @return options by name as written; empty without `WITH`
    */
  def withOptions(): Map[String, String] =
    if (take("WITH")) pairs() else Map.empty

  /** Parses options in parentheses. */
  def pairs(): Map[String, String] = {
    expect("(")
    val found = Iterator.continually(option()).takeWhile(_.isDefined).flatten.toIndexedSeq
    found.groupBy(_._1).find(_._2.length > 1).foreach(twice => fail(s"one ${twice._1}, not two"))
    expect(")")
    found.toMap
  }

  private def option(): Option[(String, String)] =
    if (sees(")")) None
    else {
      val key =
        if (seesString) string() else name().mkString(".")
      if (!take("=") && !seesString) fail("'='")
      val value = expression(Seq(","))
      if (!take(",") && !sees(")")) fail("',' or ')'")
      Some(key -> constant(value))
    }

  private def constant(text: String): String = parser.parseExpression(text) match {
    case Literal(null, _) => fail("a value other than NULL", at - 1)
    case Literal(value, _) => value.toString
    case _ => fail(s"a constant instead of $text", at - 1)
  }

  /** Parses a list in parentheses.
    *
    * @param part called at the start of each part; consumes as many tokens as it needs
    */
  def parts(part: => Unit): Unit = {
    expect("(")
    part
    skipPart()
    while (take(",")) {
      part
      skipPart()
    }
  }

  private def skipPart(): Unit = while (!seesEnd) takeAny()

  /** Skips a token, or brackets with their content. */
  def takeAny(): Unit = {
    val ofType = at > 0 && Seq("ARRAY", "MAP", "STRUCT").exists(tokens(at - 1).is)
    val close = if (sees("(")) ")" else if (sees("<") && ofType) ">" else ""
    at += 1
    if (close.nonEmpty) {
      while (!sees(close) && !isEnd(at)) takeAny()
      take(close): Unit
    }
  }

  /** Skips to the end. */
  def takeAll(): Unit = at = tokens.length

  /** Whether a part of a list ends here. */
  def seesEnd: Boolean = sees(",") || sees(")") || isEnd(at)

  /** Number of consumed tokens. */
  def position: Int = at

  /** Returns the statement without some of its tokens.
    *
    * @param spans start and end position (exclusive) of each removed span, in order
    */
  def without(spans: Seq[(Int, Int)]): String = {
    val kept = tokens.indices.filterNot(i => spans.exists(s => s._1 <= i && i < s._2))
    kept.map { i =>
      val next = tokens.lift(i + 1).filter(_ => !spans.exists(_._1 == i + 1))
      sql.substring(tokens(i).start, next.fold(tokens(i).end)(_.start))
    }.mkString(" ")
  }

  /** Checks a statement that was derived from this one.
    *
    * @throws ParseException if Spark cannot parse it
    */
  def checkStatement(text: String): Unit = inPlace(text)(parser.parsePlan): Unit

  /** Expects the end of the statement. Allows semicolons.
    *
    * @throws ParseException if there are other tokens
    */
  def end(): Unit = if (!isEnd(at)) fail("the end of the statement")

  private def isEnd(from: Int): Boolean = tokens.drop(from).forall(_.is(";"))

  private def slice(from: Int, end: Int): String =
    sql.substring(tokens(from).start, tokens(end - 1).end)

  /** Runs Spark's parser on a part of the statement. Errors show the whole statement. */
  private def inPlace[A](text: String)(parse: String => A): A =
    try parse(text)
    catch {
      case e: ParseException if e.command.isEmpty || e.command.contains(text) =>
        throw e.withCommand(sql)
    }

  /** Throws a syntax error at the current position.
    *
    * @param expected the expected tokens
    */
  def fail(expected: String): Nothing = fail(expected, at)

  private def fail(expected: String, index: Int): Nothing = {
    val token = tokens.lift(index)
    val start = token.fold(sql.length)(_.start)
    val before = sql.substring(0, start)
    val origin = Origin(
      line = Some(before.count(_ == '\n') + 1),
      startPosition = Some(start - (before.lastIndexOf('\n') + 1)),
      startIndex = Some(start),
      stopIndex = Some(token.fold(start)(_.end - 1)),
      sqlText = Some(sql)
    )
    val found = token.fold("end of input")(t => s"'${t.text}'")
    throw ParserShim.syntaxError(sql, origin, found, s": expected $expected, as in $usage")
  }
}
