// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.value

import java.io.ByteArrayOutputStream
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, CharBuffer}
import java.util.Arrays

import scala.collection.mutable

import io.github.pysparklance.core.InvalidRequestException

/** Encodes JSON text in the binary form of [[Jsonb]], byte for byte like the reference. Sorts keys.
  * Stores integers in the fewest bytes, unsigned unless they are negative. Stores numbers with a
  * fraction or an exponent, and integers above 64 bits, as doubles.
  */
object JsonbWriter {
  private val maxDepth = 512

  /** Encodes a JSON document.
    *
    * @throws InvalidRequestException for invalid JSON, a duplicate key, or an unpaired surrogate
    */
  def bytes(text: String): Array[Byte] = {
    val parser = new Parser(text)
    val value = parser.document()
    value match {
      case container: Container => container.payload
      case scalar =>
        val payload = scalar.payload
        val out = ByteBuffer.allocate(8 + payload.length)
        out.putInt(1 << 29).putInt(entry(scalar, payload)).put(payload)
        out.array
    }
  }

  /** An encoded value: its kind and payload. */
  sealed abstract private class Value(val kind: Int) {
    def payload: Array[Byte]
  }
  final private class Literal(kind: Int) extends Value(kind) {
    def payload: Array[Byte] = Array.emptyByteArray
  }
  final private class Text(val payload: Array[Byte]) extends Value(1)
  final private class Number(val payload: Array[Byte]) extends Value(2)
  final private class Container(val payload: Array[Byte]) extends Value(5)

  private def entry(value: Value, payload: Array[Byte]): Int = {
    if (payload.length >= (1 << 28))
      throw new InvalidRequestException(s"a JSON value of ${payload.length} bytes")
    value.kind << 28 | payload.length
  }

  private def container(kind: Int, count: Int, values: collection.Seq[Value]): Container = {
    if (count >= (1 << 29))
      throw new InvalidRequestException(s"JSON with a container of $count values")
    val payloads = values.map(_.payload)
    val out = new ByteArrayOutputStream(4 + 4 * values.length)
    def int(v: Int): Unit = out.write(ByteBuffer.allocate(4).putInt(v).array)
    int(kind << 29 | count)
    values.indices.foreach(i => int(entry(values(i), payloads(i))))
    payloads.foreach(out.write(_))
    new Container(out.toByteArray)
  }

  private def integer(v: java.math.BigInteger): Array[Byte] = {
    // Width of the two's complement for negative values, else of the magnitude.
    val signed = v.signum < 0
    val bits = if (signed) v.bitLength + 1 else v.bitLength
    val width = if (bits <= 8) 1 else if (bits <= 16) 2 else if (bits <= 32) 4 else 8
    val whole = ByteBuffer.allocate(8).putLong(v.longValue).array
    if (v.signum == 0) Array(0)
    else (if (signed) 0x40 else 0x50).toByte +: Arrays.copyOfRange(whole, 8 - width, 8)
  }

  private def double(v: Double): Array[Byte] =
    if (v.isInfinite) Array((if (v > 0) 0x20 else 0x30).toByte)
    else ByteBuffer.allocate(9).put(0x60.toByte).putDouble(v).array

  final private class Parser(text: String) {
    private var at = 0

    def document(): Value = {
      val value = this.value(1)
      skip()
      if (at < text.length) unexpected()
      value
    }

    private def value(depth: Int): Value = {
      if (depth > maxDepth) reject(s"JSON of more than $maxDepth levels")
      skip()
      if (at == text.length) unexpected()
      text.charAt(at) match {
        case '{' => obj(depth)
        case '[' => array(depth)
        case '"' => new Text(string())
        case 'n' => literal("null", 0)
        case 'f' => literal("false", 3)
        case 't' => literal("true", 4)
        case _ => number()
      }
    }

    private def literal(word: String, kind: Int): Value = {
      if (!text.startsWith(word, at)) unexpected()
      at += word.length
      new Literal(kind)
    }

    private def array(depth: Int): Value = {
      val items = mutable.ArrayBuffer.empty[Value]
      list(']')(items += value(depth + 1))
      container(4, items.length, items)
    }

    private def obj(depth: Int): Value = {
      val members = mutable.ArrayBuffer.empty[(Array[Byte], Value)]
      list('}') {
        skip()
        if (at == text.length || text.charAt(at) != '"') unexpected()
        val key = string()
        skip()
        expect(':')
        members += key -> value(depth + 1)
      }
      val sorted = members.sortWith((a, b) => Arrays.compareUnsigned(a._1, b._1) < 0)
      (1 until sorted.length).find(i => Arrays.equals(sorted(i - 1)._1, sorted(i)._1)).foreach(i =>
        reject(s"""JSON with the key "${new String(sorted(i)._1, UTF_8)}" twice in an object""")
      )
      container(2, sorted.length, sorted.map(m => new Text(m._1): Value) ++ sorted.map(_._2))
    }

    /** Parses the items between an opening character and `end`, separated by commas. */
    private def list(end: Char)(item: => Unit): Unit = {
      at += 1
      skip()
      if (at < text.length && text.charAt(at) == end) at += 1
      else {
        var more = true
        while (more) {
          item
          skip()
          if (at < text.length && text.charAt(at) == end) {
            at += 1
            more = false
          } else expect(',')
        }
      }
    }

    private def string(): Array[Byte] = {
      val out = new java.lang.StringBuilder
      at += 1
      var c = next()
      while (c != '"') {
        if (c == '\\') out.append(escaped()) else out.append(c)
        c = next()
      }
      try {
        val encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(out))
        Arrays.copyOf(encoded.array, encoded.remaining)
      } catch {
        case _: CharacterCodingException =>
          reject("JSON with an unpaired surrogate, which UTF-8 cannot encode")
      }
    }

    private def escaped(): Char = next() match {
      case 'b' => '\b'
      case 'f' => '\f'
      case 'n' => '\n'
      case 'r' => '\r'
      case 't' => '\t'
      case 'u' =>
        if (text.length - at < 4) unexpected()
        var code = 0
        (0 until 4).foreach { _ =>
          val digit = Character.digit(text.charAt(at), 16)
          if (digit < 0) unexpected()
          code = code * 16 + digit
          at += 1
        }
        code.toChar
      case c @ ('"' | '\\' | '/') => c
      case _ =>
        at -= 1
        unexpected()
    }

    private def number(): Value = {
      val from = at
      if (peek('-')) at += 1
      val firstDigit = at
      digits()
      // JSON does not allow leading zeros.
      if (text.charAt(firstDigit) == '0' && at > firstDigit + 1) {
        at = firstDigit + 1; unexpected()
      }
      var isInteger = true
      if (peek('.')) { isInteger = false; at += 1; digits() }
      if (peek('e') || peek('E')) {
        isInteger = false
        at += 1
        if (peek('+') || peek('-')) at += 1
        digits()
      }
      val word = text.substring(from, at)
      lazy val whole = new java.math.BigInteger(word)
      if (
        isInteger && word.length <= 20 && (whole.signum >= 0 || whole.bitLength < 64) &&
        whole.bitLength <= 64
      ) new Number(integer(whole))
      else new Number(double(word.toDouble))
    }

    private def digits(): Unit = {
      val from = at
      while (at < text.length && text.charAt(at) >= '0' && text.charAt(at) <= '9') at += 1
      if (at == from) unexpected()
    }

    private def peek(c: Char): Boolean = at < text.length && text.charAt(at) == c

    private def next(): Char = {
      if (at == text.length) unexpected()
      at += 1
      text.charAt(at - 1)
    }

    private def expect(c: Char): Unit = if (peek(c)) at += 1 else unexpected()

    private def skip(): Unit =
      while (at < text.length && " \t\r\n".indexOf(text.charAt(at).toInt) >= 0) at += 1

    private def unexpected(): Nothing = {
      val found = if (at >= text.length) "the end" else s"'${text.charAt(at)}'"
      reject(s"text is not valid JSON: $found at character $at")
    }

    private def reject(problem: String): Nothing = throw new InvalidRequestException(problem)
  }
}
