// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.compression.fsst

import io.github.pysparklance.core.Buffer

/** Finds the longest symbol of a table at the start of a string, for the encoder of [[Fsst]].
  *
  * Symbols of one and two bytes are found by the next two bytes, longer ones by a hash of the next
  * three. If two long symbols have the same hash, only the first is kept. Hot code: imperative.
  */
final private[encoding] class SymbolMatcher {
  import SymbolMatcher._

  private var n = 0

  /** The symbols as bytes, the first one lowest. See [[lengths]] for their lengths. */
  val symbols = new Array[Long](maxSymbols)
  val lengths = new Array[Int](maxSymbols)

  // code and length << 8 by the next two bytes, or by a last byte; `none` if no symbol matches
  private val pairs = filled(1 << 16)
  private val singles = filled(256)

  private val hashed = filled(hashSize)

  def numSymbols: Int = n

  /** Adds a symbol. Returns false if the table is full or another long symbol has the same hash. */
  def add(symbol: Long, length: Int): Boolean =
    if (n == maxSymbols || (length > 2 && hashed(hash(symbol)) != none)) false
    else {
      val entry = (n | length << 8).toShort
      symbols(n) = symbol
      lengths(n) = length
      n += 1
      if (length > 2) hashed(hash(symbol)) = entry
      else if (length == 2) pairs(symbol.toInt & 0xffff) = entry
      else {
        val byte = symbol.toInt & 0xff
        singles(byte) = entry
        var second = 0
        while (second < 256) {
          val pair = byte | second << 8
          if (pairs(pair) == none || (pairs(pair) >> 8) == 1) pairs(pair) = entry
          second += 1
        }
      }
      true
    }

  /** Finds the longest symbol at the start of `word`, which has `left` bytes (1 to 8). Returns its
    * code plus 256 times its length, or [[none]].
    */
  def find(word: Long, left: Int): Short = {
    val entry = hashed(hash(word))
    if (entry != none) {
      val length = entry >> 8
      if (length <= left && ((word ^ symbols(entry & 0xff)) & (-1L >>> (64 - 8 * length))) == 0)
        return entry
    }
    if (left > 1) pairs(word.toInt & 0xffff) else singles(word.toInt & 0xff)
  }

  /** Encodes `in[from, until)`. `out` must have room for twice as many bytes from `to` on. Returns
    * the end of the codes.
    */
  def encode(in: Array[Byte], from: Int, until: Int, out: Array[Byte], to: Int): Int = {
    var i = from
    var o = to
    while (i < until) {
      val left = math.min(until - i, 8)
      val entry = find(wordAt(in, i, left), left)
      if (entry != none) {
        out(o) = entry.toByte
        o += 1
        i += entry >> 8
      } else {
        out(o) = SymbolTable.escape.toByte
        out(o + 1) = in(i)
        o += 2
        i += 1
      }
    }
    o
  }
}

private[compression] object SymbolMatcher {
  val maxSymbols = 255

  /** No symbol matches, so the byte must be escaped. */
  val none: Short = -1

  private val hashBits = 12
  private val hashSize = 1 << hashBits

  private def filled(length: Int): Array[Short] = {
    val entries = new Array[Short](length)
    java.util.Arrays.fill(entries, none)
    entries
  }

  private def hash(word: Long): Int = ((word.toInt & 0xffffff) * 0x9e3779b1) >>> (32 - hashBits)

  /** Returns `left` (at most 8) bytes of `bytes` from `at` on, the first one lowest, padded with
    * zeros.
    */
  def wordAt(bytes: Array[Byte], at: Int, left: Int): Long =
    if (left == 8) Buffer.longAt(bytes, at)
    else if (at + 8 <= bytes.length) Buffer.longAt(bytes, at) & ((1L << (8 * left)) - 1)
    else {
      var word = 0L
      var i = 0
      while (i < left) {
        word |= (bytes(at + i) & 0xffL) << (8 * i)
        i += 1
      }
      word
    }
}
