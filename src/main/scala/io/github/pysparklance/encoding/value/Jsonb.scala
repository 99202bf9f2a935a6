// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.value

import java.math.{BigDecimal => JavaDecimal, BigInteger, MathContext, RoundingMode}
import java.nio.charset.StandardCharsets.UTF_8

import io.github.pysparklance.core.{CorruptFileException, UnsupportedFeatureException}

/** Decodes the binary form of JSON in `json` columns.
  *
  * {{{
  *   container   u32 header: 3 bits of kind (1 scalar, 2 object, 4 array), 29 bits of count
  *               u32 entries: scalar 1, array count, object the keys and then the values
  *               payloads, in the order of the entries
  *   entry       1 unused bit, 3 bits of kind (0 null, 1 string, 2 number, 3 false, 4 true, 5 container), 28 bits of
  *               bytes of payload
  *   number      u8 kind: 00 zero, 10 NaN, 20 and 30 infinities, 40 i8..i64, 50 u8..u64, 60 f64, 70 decimal and scale
  *
  *   {"i": 7}    40000001 | 10000001 20000002 | 69 | 50 07
  * }}}
  * Big endian. The text is the same as the reference's: no spaces, keys in stored order (which is
  * sorted), shortest numbers; infinities and NaN become null.
  */
object Jsonb {
  private val maxDepth = 512

  /** Returns the JSON text of `bytes[from, until)`.
    *
    * @throws CorruptFileException if the bytes are not valid JSONB
    * @throws UnsupportedFeatureException for kinds of values that JSON text cannot express
    */
  def text(bytes: Array[Byte], from: Int, until: Int): Array[Byte] = {
    val out = new java.lang.StringBuilder(2 * (until - from))
    new Reader(bytes, out).container(from, until, 1)
    out.toString.getBytes(UTF_8)
  }

  final private class Reader(bytes: Array[Byte], out: java.lang.StringBuilder) {

    def container(from: Int, until: Int, depth: Int): Unit = {
      if (depth > maxDepth)
        throw new UnsupportedFeatureException(s"JSON of more than $maxDepth levels")
      val header = u32(from, until)
      val count = header & 0x1fffffff
      val entries = from + 4
      header >>> 29 match {
        case 1 =>
          val entry = u32(entries, until)
          CorruptFileException.check(kind(entry) != 5, "JSONB with a container as a scalar")
          value(entry, entries + 4, until, depth): Unit
        case 4 => array(count, entries, until, depth)
        case 2 => obj(count, entries, until, depth)
        case other => throw new CorruptFileException(s"JSONB of kind $other")
      }
    }

    private def array(count: Int, entries: Int, until: Int, depth: Int): Unit = {
      var at = payloads(entries, count.toLong, until)
      out.append('[')
      var i = 0
      while (i < count) {
        if (i > 0) out.append(',')
        at = value(u32(entries + 4 * i, until), at, until, depth)
        i += 1
      }
      out.append(']'): Unit
    }

    private def obj(count: Int, entries: Int, until: Int, depth: Int): Unit = {
      var keyAt = payloads(entries, 2L * count, until)
      var at = keyAt
      var i = 0
      while (i < count) {
        at = end(u32(entries + 4 * i, until), at, until)
        i += 1
      }
      out.append('{')
      i = 0
      while (i < count) {
        if (i > 0) out.append(',')
        val key = u32(entries + 4 * i, until)
        CorruptFileException.check(kind(key) == 1, s"JSONB with a key of kind ${kind(key)}")
        keyAt = value(key, keyAt, until, depth)
        out.append(':')
        at = value(u32(entries + 4 * (count + i), until), at, until, depth)
        i += 1
      }
      out.append('}'): Unit
    }

    /** Returns the position of the first payload after `count` entries. */
    private def payloads(entries: Int, count: Long, until: Int): Int = {
      CorruptFileException.check(
        count * 4 <= until - entries,
        s"JSONB with $count entries in ${until - entries} bytes"
      )
      entries + 4 * count.toInt
    }

    /** Writes the value of an entry with its payload at `at`. Returns the end of the payload. */
    private def value(entry: Int, at: Int, until: Int, depth: Int): Int = {
      val endAt = end(entry, at, until)
      kind(entry) match {
        case 0 => out.append("null")
        case 1 => string(new String(bytes, at, endAt - at, UTF_8))
        case 2 => number(at, endAt)
        case 3 => out.append("false")
        case 4 => out.append("true")
        case 5 => container(at, endAt, depth + 1)
        case 6 => throw new UnsupportedFeatureException("dates, times and binaries in JSON")
        case other => throw new CorruptFileException(s"JSONB with an entry of kind $other")
      }
      endAt
    }

    private def kind(entry: Int): Int = (entry >>> 28) & 7

    private def end(entry: Int, at: Int, until: Int): Int = {
      val length = entry & 0x0fffffff
      CorruptFileException.check(
        length <= until - at,
        s"JSONB with a value of $length bytes where ${until - at} bytes remain"
      )
      at + length
    }

    private def string(s: String): Unit = {
      out.append('"')
      var i = 0
      while (i < s.length) {
        s.charAt(i) match {
          case '"' => out.append("\\\"")
          case '\\' => out.append("\\\\")
          case '\b' => out.append("\\b")
          case '\f' => out.append("\\f")
          case '\n' => out.append("\\n")
          case '\r' => out.append("\\r")
          case '\t' => out.append("\\t")
          case c if c < ' ' => out.append("\\u00").append(hex(c >> 4)).append(hex(c & 15))
          case c => out.append(c)
        }
        i += 1
      }
      out.append('"'): Unit
    }

    private def hex(digit: Int): Char = Character.forDigit(digit, 16)

    private def number(at: Int, until: Int): Unit = {
      CorruptFileException.check(at < until, "JSONB with a number of no bytes")
      val size = until - at - 1
      bytes(at) match {
        case 0x00 => out.append('0'): Unit
        case 0x10 | 0x20 | 0x30 => out.append("null"): Unit
        case 0x40 if isWidth(size) => out.append(integer(at + 1, size)): Unit
        case 0x50 if isWidth(size) => out.append(new BigInteger(1, slice(at + 1, size))): Unit
        case 0x60 if size == 8 =>
          double(java.lang.Double.longBitsToDouble(integer(at + 1, 8).longValue))
        // The value, with a byte for its precision in files of early releases, and the scale.
        case 0x70 if size == 9 || size == 17 || size == 18 || size == 33 || size == 34 =>
          val width = if (size == 9) 8 else if (size < 33) 16 else 32
          val scale = bytes(until - 1) & 0xff
          double(integer(at + 1, width).doubleValue / math.pow(10, scale.toDouble))
        case other =>
          throw new CorruptFileException(f"JSONB with a number of kind $other%02x in $size bytes")
      }
    }

    private def isWidth(size: Int): Boolean = size == 1 || size == 2 || size == 4 || size == 8

    private def integer(at: Int, size: Int): BigInteger = new BigInteger(slice(at, size))

    private def slice(at: Int, size: Int): Array[Byte] =
      java.util.Arrays.copyOfRange(bytes, at, at + size)

    private def double(v: Double): Unit =
      if (v.isNaN || v.isInfinite) out.append("null"): Unit
      else Jsonb.decimal(v, out)

    private def u32(at: Int, until: Int): Int = {
      CorruptFileException.check(until - at >= 4, "JSONB that ends within a header")
      java.lang.Integer.reverseBytes(io.github.pysparklance.core.Buffer.intAt(bytes, at))
    }
  }

  /** Returns the text of a finite number. */
  def numberText(v: Double): String = {
    val out = new java.lang.StringBuilder(24)
    decimal(v, out)
    out.toString
  }

  /** Writes the fewest digits that parse back to `v`: plain from 1e-5 to 1e16, else with an
    * exponent.
    */
  private def decimal(v: Double, out: java.lang.StringBuilder): Unit = {
    if (java.lang.Double.doubleToRawLongBits(v) < 0) out.append('-'): Unit
    if (v == 0) out.append("0.0"): Unit
    else {
      val shortest = shortestDigits(math.abs(v))
      val digits = shortest.unscaledValue.toString
      val point = digits.length - shortest.scale // digits before the decimal point
      if (point > 16 || point <= -5) {
        out.append(digits.charAt(0))
        if (digits.length > 1) out.append('.').append(digits, 1, digits.length): Unit
        out.append(if (point > 0) "e+" else "e").append(point - 1): Unit
      } else if (point <= 0) {
        out.append("0.")
        (point until 0).foreach(_ => out.append('0'))
        out.append(digits): Unit
      } else if (point >= digits.length) {
        out.append(digits)
        (digits.length until point).foreach(_ => out.append('0'))
        out.append(".0"): Unit
      } else out.append(digits, 0, point).append('.').append(digits, point, digits.length): Unit
    }
  }

  private def shortestDigits(v: Double): JavaDecimal = {
    val exact = new JavaDecimal(v)
    def rounded(digits: Int) =
      exact.round(new MathContext(digits, RoundingMode.HALF_EVEN)).stripTrailingZeros
    // All doubles except subnormal ones represent 15 digits exactly.
    val fewest = if (v < java.lang.Double.MIN_NORMAL) 1 else 15
    (fewest to 17).iterator.map(rounded).find(_.doubleValue == v).getOrElse(rounded(17))
  }
}
