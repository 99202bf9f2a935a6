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
  * A node is addressed by its last byte, the state, and read backwards from there. Numbers are little
  * endian. Address 0 is the final node without transitions. The value of a key is the sum of the
  * outputs on its path.
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
final private[segment] class Fst private (bytes: Array[Byte], root: Int, val numTokens: Int)
    extends TokenSet {
  import Fst._

  def sizeInBytes: Long = bytes.length.toLong

  def id(token: String): Int = inBounds {
    val key = token.getBytes(UTF_8)
    val node = new Node(bytes)
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

  def similar(to: SimilarWord, limit: Int, found: java.util.Collection[String]): Unit = inBounds {
    val prefix = to.prefix.getBytes(UTF_8)
    val node = new Node(bytes)
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
    def visit(node: Node, key: Array[Byte], length: Int, depth: Int): Unit = {
      if (node.isFinal && to.isSimilar(depth)) add(key, length)
      step(node, key, length, depth, 0, 0)
    }

    /** @param point bits of an incomplete code point
      * @param missing bytes that the code point lacks
      */
    private def step(
        node: Node,
        key: Array[Byte],
        length: Int,
        depth: Int,
        point: Int,
        missing: Int
    ): Unit = {
      val room = if (length < key.length) key else java.util.Arrays.copyOf(key, 2 * length)
      val next = new Node(bytes)
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

private[segment] object Fst {
  private val headerBytes = 16
  private val footerBytes = 20

  /** Inputs that have a number from 1 on. */
  private val common: Array[Int] =
    "te/oasripcnw.hlm-du012g=:bf3y5&_4v9678k%?xCDASFIBEjPTzRNM+LOqHG".map(_.toInt).toArray

  /** @throws CorruptFileException if the bytes are damaged */
  def apply(bytes: Array[Byte]): Fst = {
    CorruptFileException.check(
      bytes.length >= headerBytes + footerBytes,
      s"a token set of ${bytes.length} bytes"
    )
    val version = Buffer.longAt(bytes, 0)
    CorruptFileException.check(version == 3, s"a token set of version $version")
    val end = bytes.length - footerBytes
    val numKeys = Buffer.longAt(bytes, end)
    val root = Buffer.longAt(bytes, end + 8)
    CorruptFileException.check(
      numKeys >= 0 && numKeys <= Int.MaxValue && root >= 0 && root < end,
      s"a token set of ${bytes.length} bytes with $numKeys tokens and the root $root"
    )
    CorruptFileException.check(
      checksum(bytes) == Buffer.intAt(bytes, bytes.length - 4),
      "a token set has a wrong checksum"
    )
    new Fst(bytes, root.toInt, numKeys.toInt)
  }

  /** The masked checksum of all bytes but the last four. */
  private def checksum(bytes: Array[Byte]): Int = {
    val crc = new CRC32C
    crc.update(bytes, 0, bytes.length - 4)
    Integer.rotateRight(crc.getValue.toInt, 15) + 0xa282ead8
  }

  private def trailingBytes(first: Int): Int =
    if (first < 0xc0) 0 else if (first < 0xe0) 1 else if (first < 0xf0) 2 else 3

  private def inBounds[A](read: => A): A =
    try read
    catch {
      case e: IndexOutOfBoundsException =>
        throw new CorruptFileException("a node of a token set is out of bounds", cause = e)
    }

  /** A node that was loaded last. */
  final private class Node(bytes: Array[Byte]) {
    var isFinal = false
    var finalOutput = 0L
    var numTransitions = 0
    private var only = -1 // input of the only transition, or -1 if inputs are in the node
    private var isChained = false // whether it leads to the byte before the node
    private var inputs = 0 // position behind that of the first input
    private var index = -1
    private var deltas = 0
    private var deltaBytes = 0
    private var outputs = 0
    private var outputBytes = 0
    private var start = 0

    def load(address: Int): Unit = {
      isFinal = false
      finalOutput = 0L
      index = -1
      only = -1
      isChained = false
      deltaBytes = 0
      outputBytes = 0
      if (address == 0) {
        isFinal = true
        numTransitions = 0
      } else {
        val state = u8(address)
        if (state >= 0x80) loadOne(address, state) else loadMany(address, state)
      }
    }

    private def loadOne(address: Int, state: Int): Unit = {
      var at = address
      numTransitions = 1
      if ((state & 0x3f) != 0) only = common((state & 0x3f) - 1)
      else {
        at -= 1
        only = u8(at)
      }
      isChained = state >= 0xc0
      if (!isChained) {
        at -= 1
        sizes(at)
        deltas = at
        at -= deltaBytes
        outputs = at
        at -= outputBytes
      }
      start = at
    }

    private def loadMany(address: Int, state: Int): Unit = {
      var at = address - 1
      isFinal = (state & 0x40) != 0
      numTransitions = state & 0x3f
      if (numTransitions == 0) {
        numTransitions = u8(at)
        if (numTransitions == 1) numTransitions = 256
        at -= 1
      }
      sizes(at)
      if (numTransitions > 32) {
        at -= 256
        index = at
      }
      inputs = at
      at -= numTransitions
      deltas = at
      at -= numTransitions * deltaBytes
      outputs = at
      at -= numTransitions * outputBytes
      if (isFinal && outputBytes > 0) {
        at -= outputBytes
        finalOutput = number(at, outputBytes)
      }
      start = at
    }

    private def sizes(at: Int): Unit = {
      deltaBytes = u8(at) >> 4
      outputBytes = u8(at) & 0xf
      if (deltaBytes > 8 || outputBytes > 8)
        throw new CorruptFileException("a node of a token set has numbers of more than 8 bytes")
    }

    /** Returns the transition with an input, or -1. */
    def find(input: Int): Int =
      if (only >= 0) { if (only == input) 0 else -1 }
      else if (index >= 0) {
        val i = u8(index + input)
        if (i < numTransitions) i else -1
      } else {
        var i = 0
        while (i < numTransitions && this.input(i) != input) i += 1
        if (i < numTransitions) i else -1
      }

    def input(i: Int): Int = if (only >= 0) only else u8(inputs - 1 - i)

    def output(i: Int): Long =
      if (outputBytes == 0) 0L else number(outputs - (i + 1) * outputBytes, outputBytes)

    /** Returns an address below this node, so that walks end. */
    def target(i: Int): Int =
      if (isChained) start - 1
      else {
        val delta = if (deltaBytes == 0) 0L else number(deltas - (i + 1) * deltaBytes, deltaBytes)
        if (delta == 0) 0
        else {
          CorruptFileException.check(
            delta > 0 && delta < start,
            "a transition of a token set is out of bounds"
          )
          start - delta.toInt
        }
      }

    private def number(at: Int, numBytes: Int): Long = {
      var value = 0L
      var i = numBytes - 1
      while (i >= 0) {
        value = value << 8 | u8(at + i)
        i -= 1
      }
      value
    }

    private def u8(at: Int): Int = bytes(at) & 0xff
  }
}
