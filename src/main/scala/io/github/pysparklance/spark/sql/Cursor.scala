// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.sql

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.spark.shim.ParserShim

/** Goes through the tokens of a statement. Names, types and expressions within are read by Spark's own parser.
  *
  * @param usage how the statement is written, for errors
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

  /** Goes beyond a name if one comes. */
  def takeName(): Boolean = {
    val end = nameEnd
    end.foreach(i => at = i)
    end.isDefined
  }

  /** Goes beyond a string if one comes. */
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

  /** Whether these keywords come right after the name of a table that comes next. */
  def seesAfterName(words: String*): Boolean = nameEnd.exists(seesAt(_, words))

  /** Goes beyond these keywords if they come next. */
  def take(words: String*): Boolean = {
    val found = sees(words: _*)
    if (found) at += words.length
    found
  }

  /** Goes beyond these keywords.
    *
    * @throws ParseException when something else comes
    */
  def expect(words: String*): Unit =
    words.foreach(w => if (!take(w)) fail(if (w.head.isLetter) w else s"'$w'"))

  /** The name of a table with its catalog and namespaces, also as `IDENTIFIER('a.b')`. */
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

  /** The token after the name that comes next. */
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

  /** A name without dots. */
  def identifier(): String = name() match {
    case Seq(one) => one
    case more => fail(s"a name without dots instead of ${more.mkString(".")}", at - 1)
  }

  /** A name of a tag or branch: without dots, in backquotes, or as a string. */
  def label(): String =
    if (tokens.lift(at).exists(_.kind == TokenKind.Text)) string() else identifier()

  /** One or more of something, separated by commas.
    *
    * @param item goes beyond one
    */
  def list[A](item: => A): Seq[A] = {
    val first = item
    first +: Iterator.continually(take(",")).takeWhile(identity).map(_ => item).toList
  }

  /** A string literal. */
  def string(): String = {
    if (!seesString) fail("a string in quotes")
    literal(at + 1) match {
      case Literal(text: UTF8String, _: StringType) => text.toString
      case _ => fail("a string in quotes", at - 1)
    }
  }

  /** A whole number from 0, unsigned beyond what a signed one holds, as detached versions are. */
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

  /** The text of an expression that goes on until one of these keywords outside of parentheses, or to the end. It is
    * checked by Spark's parser.
    */
  def expression(until: Seq[String]*): String = piece(parser.parseExpression, until)

  /** The text of a query that goes on until the parentheses around it close. */
  def query(): String = piece(parser.parseQuery, Nil)

  /** The type that goes on until one of these keywords. */
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

  /** Goes to one of these keywords, or to what closes the parentheses around, or the end.
    *
    * @param open the brackets within which nothing counts
    * @param close what closes them
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

  /** Whether these words come somewhere within the parentheses that open here, outside of inner ones. */
  def containsInside(words: String*): Boolean = {
    val start = at
    val found = take("(") && {
      skip(Seq(words))
      sees(words: _*)
    }
    at = start
    found
  }

  /** The settings after `WITH`: `(a = 1, 'b' = 'c')`, by name as it is written; before a string `=` may be left out.
    *
    * @return none without `WITH`
    */
  def settings(): Map[String, String] =
    if (take("WITH")) pairs() else Map.empty

  /** Settings in parentheses. */
  def pairs(): Map[String, String] = {
    expect("(")
    val found = Iterator.continually(setting()).takeWhile(_.isDefined).flatten.toIndexedSeq
    found.groupBy(_._1).find(_._2.length > 1).foreach(twice => fail(s"one ${twice._1}, not two"))
    expect(")")
    found.toMap
  }

  private def setting(): Option[(String, String)] =
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

  /** Goes through a list whose parentheses open here, up to where they close.
    *
    * @param part called at the begin of each part, goes beyond as much of it as it needs
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

  /** Goes beyond one token, or beyond brackets with what is in them. */
  def takeAny(): Unit = {
    val ofType = at > 0 && Seq("ARRAY", "MAP", "STRUCT").exists(tokens(at - 1).is)
    val close = if (sees("(")) ")" else if (sees("<") && ofType) ">" else ""
    at += 1
    if (close.nonEmpty) {
      while (!sees(close) && !isEnd(at)) takeAny()
      take(close): Unit
    }
  }

  /** Goes to the end. */
  def takeAll(): Unit = at = tokens.length

  /** Whether a part of a list ends here. */
  def seesEnd: Boolean = sees(",") || sees(")") || isEnd(at)

  /** How many tokens are behind. */
  def position: Int = at

  /** The statement without some of its tokens.
    *
    * @param spans positions of the first and behind the last token of each gap, in order
    */
  def without(spans: Seq[(Int, Int)]): String = {
    val kept = tokens.indices.filterNot(i => spans.exists(s => s._1 <= i && i < s._2))
    kept.map { i =>
      val next = tokens.lift(i + 1).filter(_ => !spans.exists(_._1 == i + 1))
      sql.substring(tokens(i).start, next.fold(tokens(i).end)(_.start))
    }.mkString(" ")
  }

  /** Checks a statement that this one was made into.
    *
    * @throws ParseException when Spark does not know it
    */
  def checkStatement(text: String): Unit = inPlace(text)(parser.parsePlan): Unit

  /** Nothing but semicolons may come.
    *
    * @throws ParseException when something does
    */
  def end(): Unit = if (!isEnd(at)) fail("the end of the statement")

  private def isEnd(from: Int): Boolean = tokens.drop(from).forall(_.is(";"))

  private def slice(from: Int, end: Int): String =
    sql.substring(tokens(from).start, tokens(end - 1).end)

  /** Runs Spark's parser over a piece; its errors show the whole statement. */
  private def inPlace[A](text: String)(parse: String => A): A =
    try parse(text)
    catch {
      case e: ParseException if e.command.isEmpty || e.command.contains(text) =>
        throw e.withCommand(sql)
    }

  /** Refuses what comes next.
    *
    * @param expected what should be there
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
