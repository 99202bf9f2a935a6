// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.analysis

import com.fasterxml.jackson.core.{
  JsonFactory,
  JsonFactoryBuilder,
  JsonParser,
  JsonProcessingException,
  JsonToken,
  StreamReadConstraints
}

import io.github.pysparklance.core.{CorruptFileException, InvalidRequestException, Printable}
import io.github.pysparklance.encoding.value.Jsonb

/** Splits JSON documents, and queries of such documents, into terms.
  *
  * {{{
  *   document  {"a": {"b": ["Two words", 7]}, "c": null}
  *   terms     a.b,str,two   a.b,str,words   a.b,number,7   c,null,null
  *   query     a.b,str,Two words;c,null,null
  * }}}
  * A term is a path, a type, and a value. The analyzer splits strings; other values are not
  * changed. The positions of terms have no gaps, also where the analyzer drops a word. Elements of
  * an array have the path of the array. A value outside of objects has an empty path.
  *
  * Source: lance-index 14, `document_tokenizer.rs`; format page of indices, "Inverted (full-text)".
  */
private[text] object JsonTerms {

  /** Calls `f` on each term of a document, in order.
    *
    * @throws CorruptFileException if the document is not JSON
    */
  private[analysis] def ofDocument(document: String, analyzer: Analyzer)(
      f: TermConsumer
  ): Unit =
    try {
      val parser = factory.createParser(document)
      try new DocumentReader(parser, analyzer, f).read()
      finally parser.close()
    } catch {
      case e: JsonProcessingException =>
        throw new CorruptFileException(
          s"a document is not JSON (${e.getOriginalMessage}): ${Printable.line(document.take(40))}",
          cause = e
        )
    }

  /** Calls `f` on each term of a query, in order.
    *
    * @throws InvalidRequestException if the query is not a list of `path,type,value`
    */
  private[analysis] def ofQuery(query: String, analyzer: Analyzer)(f: TermConsumer): Unit = {
    var position = 0
    triples(query).foreach { case (path, kind, value) =>
      def add(value: String): Unit = {
        f.term(term(path, kind, value), position)
        position += 1
      }
      if (kind == string) analyzer.words(value)((word, _) => add(word)) else add(value)
    }
  }

  /** Parses a query.
    *
    * @return path, type, and value of each part
    */
  def triples(query: String): IndexedSeq[(String, String, String)] =
    query.split(";", -1).toIndexedSeq.map { part =>
      part.split(",", 3) match {
        case Array(path, kind, value) if kinds(kind) => (path, kind, value)
        case _ =>
          throw new InvalidRequestException(
            s"a full-text query of JSON documents has the part '${Printable.line(part.take(80))}'; " +
              s"path,type,value is expected, such as a.b,str,word, with one of the types ${kinds.mkString(", ")}; " +
              "a semicolon separates several parts"
          )
      }
    }

  /** Returns the start of the value in a term. */
  def valueStart(term: String): Int = term.indexOf(',', term.indexOf(',') + 1) + 1

  /** Returns the text of a number with a fraction or an exponent as the reference prints it. The
    * reference does not round correctly when it reads the text: it divides or multiplies the
    * digits, as a floating-point number, by a power of ten. So the last digit of the result may
    * differ.
    */
  private[analysis] def number(text: String): String = {
    var digits = 0L
    var numDigits = 0
    var numFraction = 0
    var at = if (text.startsWith("-")) 1 else 0
    var isFraction = false
    while (at < text.length && text.charAt(at) != 'e' && text.charAt(at) != 'E') {
      val c = text.charAt(at)
      if (c == '.') isFraction = true
      else {
        digits = digits * 10 + (c - '0')
        if (numDigits > 0 || c != '0') numDigits += 1
        if (isFraction) numFraction += 1
      }
      at += 1
    }
    val exponent =
      if (at == text.length) Some(0)
      else if (text.length - at > maxExponentLength) None
      else Some(text.substring(at + 1).stripPrefix("+").toInt)
    if (numDigits > maxDigits || exponent.isEmpty) text
    else {
      val value = scaled(digits.toDouble, exponent.get - numFraction)
      if (value.isInfinite) text
      else Jsonb.numberText(if (text.startsWith("-")) -value else value)
    }
  }

  private def scaled(digits: Double, exponent: Int): Double = {
    var value = digits
    var left = exponent
    while (left < -maxPower && value != 0) {
      value /= powers(maxPower)
      left += maxPower
    }
    if (value == 0) value
    else if (left > maxPower) Double.PositiveInfinity
    else if (left >= 0) value * powers(left)
    else value / powers(-left)
  }

  private val maxPower = 308
  private val powers = Array.tabulate(maxPower + 1)(n => s"1e$n".toDouble)

  /** Maximum number of significant digits of a number in JSONB, with a zero behind the point.
    * Documents with more digits do not come from JSONB.
    */
  private val maxDigits = 18

  /** Maximum length of the exponent, with its letter and sign. */
  private val maxExponentLength = 8

  private val string = "str"
  private val kinds = Set(string, "number", "bool", "null")

  private def term(path: String, kind: String, value: String): String =
    new java.lang.StringBuilder(path.length + kind.length + value.length + 2)
      .append(path).append(',').append(kind).append(',').append(value).toString

  /** A JSON value may be as long as the column allows. */
  private val factory: JsonFactory = new JsonFactoryBuilder()
    .streamReadConstraints(
      StreamReadConstraints.builder()
        .maxStringLength(Int.MaxValue)
        .maxNestingDepth(Int.MaxValue)
        .maxNumberLength(Int.MaxValue)
        .build()
    ).build()

  /** Reads a document. Hot code: imperative. */
  final private class DocumentReader(
      parser: JsonParser,
      analyzer: Analyzer,
      f: TermConsumer
  ) {
    private var path = ""
    private val outer = new java.util.ArrayDeque[String]
    private var position = 0
    private val words: TermConsumer = (word: String, _: Int) => add("str", word)

    def read(): Unit = {
      var token = parser.nextToken()
      while (token != null) {
        token match {
          case JsonToken.START_OBJECT | JsonToken.START_ARRAY => outer.push(path)
          case JsonToken.END_OBJECT | JsonToken.END_ARRAY => path = outer.pop()
          case JsonToken.FIELD_NAME =>
            val parent = outer.peek
            val name = parser.currentName
            path = if (parent.isEmpty) name else parent + "." + name
          case JsonToken.VALUE_STRING => analyzer.words(parser.getText)(words)
          case JsonToken.VALUE_NUMBER_INT => add("number", parser.getText)
          case JsonToken.VALUE_NUMBER_FLOAT => add("number", number(parser.getText))
          case JsonToken.VALUE_TRUE => add("bool", "true")
          case JsonToken.VALUE_FALSE => add("bool", "false")
          case _ => add("null", "null")
        }
        token = parser.nextToken()
      }
    }

    private def add(kind: String, value: String): Unit = {
      f.term(term(path, kind, value), position)
      position += 1
    }
  }
}
