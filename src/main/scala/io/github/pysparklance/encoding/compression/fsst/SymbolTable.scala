// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.fsst

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.value.Messages

/** The symbols of one page of [[Fsst]]: up to 255 strings of 1 to 8 bytes, each with a code.
  * Source: message `Fsst`, format page of the compressive encodings, "FSST".
  *
  * {{{
  *   byte 0         u64: bits 63..32 = 46535354 ("FSST"), 31..24 switch, 23..16 suffix limit, 15..8 terminator, 7..0 N
  *   8              N symbols, 8 bytes each, zero padded
  *   8 + 8N         N lengths, 1..8
  *   8 + 9N         zeros up to 2312 bytes
  *
  *   ff 00 3b 01 54 53 53 46   N 255, terminator 00, suffix limit 3b, switch 1
  * }}}
  * If the switch is 0, values are stored uncompressed and N is 0. Code 255 escapes the byte that
  * follows. Hot code: imperative.
  *
  * @param isOn whether values are compressed
  * @param symbols bytes of each code's symbol, the first in the lowest bits
  * @param lengths bytes of each code's symbol; 0 for unused codes
  */
final private[encoding] class SymbolTable(
    val isOn: Boolean,
    val symbols: Array[Long],
    val lengths: Array[Int]
) {
  import SymbolTable.{escape, mostUncounted}

  /** Returns the bytes that `out` needs to decode `in[from, until)`. It reserves eight bytes per
    * code and eight more, which are written past the end. For many codes, it counts the decoded
    * bytes instead.
    */
  def room(in: Array[Byte], from: Int, until: Int): Long =
    8L + (if (until - from <= mostUncounted) 8L * (until - from) else countBytes(in, from, until))

  private def countBytes(in: Array[Byte], from: Int, until: Int): Long = {
    val lengths = this.lengths
    var total = 0L
    var i = from
    while (i < until) {
      val code = in(i) & 0xff
      if (code != escape) total += lengths(code)
      else {
        total += 1
        i += 1
      }
      i += 1
    }
    total
  }

  /** Decodes the codes `in[from, until)` of one value. Writes up to 8 bytes past the end of the
    * value, so `out` needs [[room]] bytes from `to` on.
    *
    * @return the end of the value in `out`
    */
  def decode(in: Array[Byte], from: Int, until: Int, out: Array[Byte], to: Int): Int = {
    val symbols = this.symbols
    val lengths = this.lengths
    var i = from
    var o = to
    var unused = 0
    while (i < until) {
      val code = in(i) & 0xff
      if (code != escape) {
        Buffer.putLong(out, o, symbols(code))
        val length = lengths(code)
        unused |= length - 1
        o += length
        i += 1
      } else {
        if (i + 1 >= until)
          throw SymbolTable.danglingEscape
        out(o) = in(i + 1)
        o += 1
        i += 2
      }
    }
    if (unused < 0)
      throw SymbolTable.unknownCode
    o
  }

  /** Decodes the codes of `count` values, which are contiguous from `in(from)` on. `out` needs
    * [[room]] bytes for all of them from `to` on.
    *
    * @param ends elements `at + 1` to `at + count` are the ends of each value's codes relative to
    *   `from`; they are replaced by the ends of the decoded values in `out`
    */
  def decodeAll(
      in: Array[Byte],
      from: Int,
      ends: Array[Int],
      at: Int,
      count: Int,
      out: Array[Byte],
      to: Int
  ): Unit = {
    val symbols = this.symbols
    val lengths = this.lengths
    val last = at + count
    var value = at + 1
    var i = from
    var o = to
    var unused = 0
    while (value <= last) {
      val until = from + ends(value)
      while (i < until) {
        val code = in(i) & 0xff
        if (code != escape) {
          Buffer.putLong(out, o, symbols(code))
          val length = lengths(code)
          unused |= length - 1
          o += length
          i += 1
        } else {
          if (i + 1 >= until) throw SymbolTable.danglingEscape
          out(o) = in(i + 1)
          o += 1
          i += 2
        }
      }
      ends(value) = o
      value += 1
    }
    if (unused < 0) throw SymbolTable.unknownCode
  }
}

private[encoding] object SymbolTable {
  val numBytes = 2312
  val escape = 255
  private val magic = 0x46535354L

  /** Up to this many codes, the output is sized for the maximum length of symbols instead of
    * counted.
    */
  private val mostUncounted = 1 << 19

  private def danglingEscape: CorruptFileException =
    new CorruptFileException("an Fsst value that ends with an escape code")

  private def unknownCode: CorruptFileException =
    new CorruptFileException("an Fsst value with a code that is not in its symbol table")

  /** @throws CorruptFileException for bytes that are not a symbol table */
  def parse(bytes: Array[Byte]): SymbolTable = {
    Messages.checkLength("Fsst symbol table", bytes.length, 1, numBytes.toLong)
    val header = Buffer.longAt(bytes, 0)
    CorruptFileException.check(
      (header >>> 32) == magic,
      "an Fsst symbol table without its magic number"
    )
    val switch = (header >>> 24).toInt & 0xff
    CorruptFileException.check(switch <= 1, s"an Fsst symbol table with switch $switch")
    val n = header.toInt & 0xff
    val symbols = new Array[Long](256)
    val lengths = new Array[Int](256)
    (0 until n).foreach { code =>
      val length = bytes(8 + 8 * n + code) & 0xff
      CorruptFileException.check(length >= 1 && length <= 8, s"an Fsst symbol of $length bytes")
      symbols(code) = Buffer.longAt(bytes, 8 + 8 * code)
      lengths(code) = length
    }
    new SymbolTable(switch == 1, symbols, lengths)
  }

  /** Serializes a table of the first `n` symbols.
    *
    * @param terminator a byte that is rare in the values
    */
  def serialize(symbols: Array[Long], lengths: Array[Int], n: Int, terminator: Int): Array[Byte] = {
    val bytes = new Array[Byte](numBytes)
    Buffer.putLong(bytes, 0, magic << 32 | 1L << 24 | (terminator & 0xffL) << 8 | n.toLong)
    (0 until n).foreach { code =>
      Buffer.putLong(bytes, 8 + 8 * code, symbols(code))
      bytes(8 + 8 * n + code) = lengths(code).toByte
    }
    bytes
  }
}
