// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.index.json

import java.nio.charset.StandardCharsets.UTF_8

import io.github.pysparklance.core.InvalidRequestException

/** Finds values in JSON text in UTF-8, without parsing other values.
  *
  * A value is the range of its bytes: the first byte in the upper half of a `Long`, and the end in
  * the lower half.
  */
object JsonText {

  /** The result of [[get]] for documents without the value. */
  val missing: Long = -1L

  /** Returns the first byte of a value. */
  def from(value: Long): Int = (value >>> 32).toInt

  /** Returns the end of a value, exclusive. */
  def until(value: Long): Int = value.toInt

  /** Returns the whole document.
    *
    * @throws InvalidRequestException if it is empty
    */
  def document(text: Array[Byte]): Long = {
    var end = text.length
    while (end > 0 && isSpace(text(end - 1))) end -= 1
    val start = skipSpace(text, 0)
    if (start >= end) invalid(start)
    range(start, end)
  }

  /** Returns the member of an object, or the element of an array.
    *
    * @param from position of the object or array, or of white space before it
    * @return [[missing]] if the value is neither, or lacks the member or element
    * @throws InvalidRequestException if the text before the value is not valid JSON
    */
  def get(text: Array[Byte], key: JsonKey, from: Int = 0): Long = {
    val start = skipSpace(text, from)
    if (start == text.length) invalid(start)
    text(start) match {
      case '{' => member(text, start + 1, key.bytes)
      case '[' if key.index >= 0 => element(text, start + 1, key.index)
      case _ => missing
    }
  }

  private def member(text: Array[Byte], start: Int, name: Array[Byte]): Long = {
    var found = missing
    var at = skipSpace(text, start)
    var isOpen = !isAt(text, at, '}')
    while (isOpen) {
      if (!isAt(text, at, '"')) invalid(at)
      val end = skipString(text, at)
      val isWanted = isName(text, at, end, name)
      at = skipSpace(text, end)
      if (!isAt(text, at, ':')) invalid(at)
      val from = skipSpace(text, at + 1)
      val until = skip(text, from)
      if (isWanted) {
        found = range(from, until)
        isOpen = false
      } else {
        at = next(text, until, '}')
        isOpen = at >= 0
      }
    }
    found
  }

  private def element(text: Array[Byte], start: Int, index: Long): Long = {
    var found = missing
    var at = skipSpace(text, start)
    var i = 0L
    var isOpen = !isAt(text, at, ']')
    while (isOpen) {
      val until = skip(text, at)
      if (i == index) {
        found = range(at, until)
        isOpen = false
      } else {
        at = next(text, until, ']')
        isOpen = at >= 0
      }
      i += 1
    }
    found
  }

  /** Returns the position after the comma that follows a value, or -1 if the container ends. */
  private def next(text: Array[Byte], from: Int, close: Char): Int = {
    val at = skipSpace(text, from)
    if (isAt(text, at, close)) -1
    else {
      if (!isAt(text, at, ',')) invalid(at)
      skipSpace(text, at + 1)
    }
  }

  /** Whether the string in `[from, until)`, with its quotes, is a name. */
  private def isName(text: Array[Byte], from: Int, until: Int, name: Array[Byte]): Boolean = {
    var i = from + 1
    while (i < until - 1 && text(i) != '\\') i += 1
    if (i == until - 1)
      java.util.Arrays.equals(text, from + 1, until - 1, name, 0, name.length)
    else java.util.Arrays.equals(string(text, from, until), name)
  }

  /** Returns the end of the value that begins at a position. */
  private def skip(text: Array[Byte], from: Int): Int = {
    if (from == text.length) invalid(from)
    text(from) match {
      case '"' => skipString(text, from)
      case '{' | '[' =>
        var depth = 1
        var at = from + 1
        while (depth > 0) {
          if (at == text.length) invalid(at)
          text(at) match {
            case '"' => at = skipString(text, at) - 1
            case '{' | '[' => depth += 1
            case '}' | ']' => depth -= 1
            case _ =>
          }
          at += 1
        }
        at
      case _ =>
        var at = from
        while (at < text.length && !isEnd(text(at))) at += 1
        if (at == from) invalid(at)
        at
    }
  }

  private def isEnd(b: Byte): Boolean =
    b == ',' || b == '}' || b == ']' || b == ':' || b == '"' || isSpace(b)

  /** Returns the position after the closing quote. */
  private def skipString(text: Array[Byte], from: Int): Int = {
    var at = from + 1
    while (at < text.length && text(at) != '"') at += (if (text(at) == '\\') 2 else 1)
    if (at >= text.length) invalid(text.length)
    at + 1
  }

  private def skipSpace(text: Array[Byte], from: Int): Int = {
    var at = from
    while (at < text.length && isSpace(text(at))) at += 1
    at
  }

  private def isSpace(b: Byte): Boolean = b == ' ' || b == '\n' || b == '\t' || b == '\r'

  private def isAt(text: Array[Byte], at: Int, c: Char): Boolean =
    at < text.length && text(at) == c

  private def range(from: Int, until: Int): Long = from.toLong << 32 | until

  /** Returns the bytes of a string.
    *
    * @param from position of the opening quote
    * @param until position after the closing quote
    */
  private[json] def string(text: Array[Byte], from: Int, until: Int): Array[Byte] = {
    val end = until - 1
    var plain = from + 1
    while (plain < end && text(plain) != '\\') plain += 1
    if (plain == end) java.util.Arrays.copyOfRange(text, from + 1, end)
    else {
      val raw = new String(text, from + 1, end - from - 1, UTF_8)
      val out = new java.lang.StringBuilder(raw.length)
      var at = 0
      while (at < raw.length)
        if (raw.charAt(at) != '\\') {
          out.append(raw.charAt(at))
          at += 1
        } else {
          if (at + 1 >= raw.length) invalid(from)
          raw.charAt(at + 1) match {
            case 'b' => out.append('\b')
            case 'f' => out.append('\f')
            case 'n' => out.append('\n')
            case 'r' => out.append('\r')
            case 't' => out.append('\t')
            case 'u' => out.append(unicode(raw, at + 2, from))
            case c @ ('"' | '\\' | '/') => out.append(c)
            case _ => invalid(from)
          }
          at += (if (raw.charAt(at + 1) == 'u') 6 else 2)
        }
      out.toString.getBytes(UTF_8)
    }
  }

  private def unicode(raw: String, at: Int, from: Int): Char = {
    if (at + 4 > raw.length) invalid(from)
    var code = 0
    var i = at
    while (i < at + 4) {
      val digit = Character.digit(raw.charAt(i), 16)
      if (digit < 0) invalid(from)
      code = code * 16 + digit
      i += 1
    }
    code.toChar
  }

  private[json] def invalid(at: Int): Nothing =
    throw new InvalidRequestException(s"text is not valid JSON at byte $at")
}
