// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32C

import io.github.pysparklance.core.{Buffer, CorruptFileException}

/** A map from byte strings to numbers: the finite state transducer of the Rust crate `fst`.
  * Immutable. Hot code: imperative.
  *
  * {{{
  *   u64 version = 3 | u64 type | nodes | u64 number of keys | u64 address of the root | u32 checksum
  * }}}
  * A node is addressed by its last byte, the state, and read backwards from there. Numbers are
  * little endian. Address 0 is the final node without transitions. The value of a key is the sum of
  * the outputs on its path.
  * {{{
  *   state 11cccccc   one transition without output, to the byte before the node
  *   state 10cccccc   one transition: [input] sizes | delta | output
  *   state 0fnnnnnn   f: final, n transitions: [n] sizes | [index of 256 bytes if n > 32]
  *                    | n inputs | n deltas | n outputs | [final output]
  * }}}
  * `c` is the number of a common input, or 0 if the input is a byte of the node. `sizes` has the
  * width of deltas in its upper and that of outputs in its lower half. A transition leads to the
  * first byte of the node minus its delta; delta 0 leads to address 0.
  *
  * Source: format page of indices, "fst byte format".
  */
final private[text] class Fst private (bytes: Array[Byte], root: Int, val numTokens: Int)
    extends TokenSet {
  import Fst._

  def sizeInBytes: Long = bytes.length.toLong

  def id(token: String): Int = inBounds {
    val key = token.getBytes(UTF_8)
    val node = new FstNode(bytes)
    node.load(root)
    var value = 0L
    var at = 0
    while (at < key.length && at >= 0) {
      val i = node.find(key(at) & 0xff)
      if (i < 0) at = -1
      else {
        value += node.output(i)
        node.load(node.target(i))
        at += 1
      }
    }
    if (at >= 0 && node.isFinal) checked(value + node.finalOutput) else -1
  }

  def all: Iterator[(Array[Byte], Int)] =
    new FstTokens(new FstNode(bytes), root, numTokens).map { case (key, value) =>
      (key, checked(value))
    }

  def similar(to: SimilarWord, limit: Int, found: java.util.Collection[String]): Unit = inBounds {
    val prefix = to.prefix.getBytes(UTF_8)
    val node = new FstNode(bytes)
    node.load(root)
    var at = 0
    while (at < prefix.length && at >= 0) {
      val i = node.find(prefix(at) & 0xff)
      if (i < 0) at = -1
      else {
        node.load(node.target(i))
        at += 1
      }
    }
    if (at >= 0)
      new Walk(to, limit, found)
        .visit(node, java.util.Arrays.copyOf(prefix, prefix.length + 32), at, 0)
  }

  /** Visits the keys behind a prefix in ascending order. */
  final private class Walk(to: SimilarWord, limit: Int, found: java.util.Collection[String]) {
    private var left = limit

    /** @param key its first `length` bytes lead to the node
      * @param depth complete code points of the key behind the prefix
      */
    def visit(node: FstNode, key: Array[Byte], length: Int, depth: Int): Unit = {
      if (node.isFinal && to.isSimilar(depth)) add(key, length)
      step(node, key, length, depth, 0, 0)
    }

    /** @param point bits of an incomplete code point
      * @param missing bytes that the code point lacks
      */
    private def step(
        node: FstNode,
        key: Array[Byte],
        length: Int,
        depth: Int,
        point: Int,
        missing: Int
    ): Unit = {
      val room = if (length < key.length) key else java.util.Arrays.copyOf(key, 2 * length)
      val next = new FstNode(bytes)
      var i = 0
      while (i < node.numTransitions && left > 0) {
        val input = node.input(i)
        room(length) = input.toByte
        val rest = if (missing > 0) missing - 1 else trailingBytes(input)
        val bits =
          if (missing > 0) point << 6 | input & 0x3f
          else if (rest > 0) input & (0x3f >> rest)
          else input
        if (rest > 0) {
          next.load(node.target(i))
          step(next, room, length + 1, depth, bits, rest)
        } else if (to.push(depth, bits)) {
          next.load(node.target(i))
          visit(next, room, length + 1, depth + 1)
        }
        i += 1
      }
    }

    private def add(key: Array[Byte], length: Int): Unit = if (left > 0) {
      found.add(new String(key, 0, length, UTF_8))
      left -= 1
    }
  }

  private def checked(value: Long): Int = {
    CorruptFileException.check(
      value >= 0 && value < numTokens,
      s"a token set of $numTokens tokens has the token id $value"
    )
    value.toInt
  }
}

private[text] object Fst {

  /** The version of the format. */
  val version: Long = 3L
  private val headerBytes = 16
  private val footerBytes = 20

  /** @throws CorruptFileException if the bytes are damaged */
  def apply(bytes: Array[Byte]): Fst = {
    CorruptFileException.check(
      bytes.length >= headerBytes + footerBytes,
      s"a token set of ${bytes.length} bytes"
    )
    val found = Buffer.longAt(bytes, 0)
    CorruptFileException.check(found == version, s"a token set of version $found")
    val end = bytes.length - footerBytes
    val numKeys = Buffer.longAt(bytes, end)
    val root = Buffer.longAt(bytes, end + 8)
    CorruptFileException.check(
      numKeys >= 0 && numKeys <= Int.MaxValue && root >= 0 && root < end,
      s"a token set of ${bytes.length} bytes with $numKeys tokens and the root $root"
    )
    CorruptFileException.check(
      checksum(bytes, bytes.length - 4) == Buffer.intAt(bytes, bytes.length - 4),
      "a token set has a wrong checksum"
    )
    new Fst(bytes, root.toInt, numKeys.toInt)
  }

  /** Returns the masked checksum of the first bytes. */
  def checksum(bytes: Array[Byte], numBytes: Int): Int = {
    val crc = new CRC32C
    crc.update(bytes, 0, numBytes)
    Integer.rotateRight(crc.getValue.toInt, 15) + 0xa282ead8
  }

  private def trailingBytes(first: Int): Int =
    if (first < 0xc0) 0 else if (first < 0xe0) 1 else if (first < 0xf0) 2 else 3

  private[segment] def inBounds[A](read: => A): A =
    try read
    catch {
      case e: IndexOutOfBoundsException =>
        throw new CorruptFileException("a node of a token set is out of bounds", cause = e)
    }
}
