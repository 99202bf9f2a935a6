// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import io.github.pysparklance.core.CorruptFileException

/** The current node of an [[Fst]]. Not thread-safe. Hot code: imperative.
  *
  * @param bytes bytes of the transducer
  */
final private[segment] class FstNode(bytes: Array[Byte]) {
  import FstNode._

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

  /** Returns an address below this node, so that traversals end. */
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

private[text] object FstNode {

  /** Inputs with a number, starting from 1. */
  private val common: Array[Int] =
    "te/oasripcnw.hlm-du012g=:bf3y5&_4v9678k%?xCDASFIBEjPTzRNM+LOqHG".map(_.toInt).toArray

  private val commonNumbers: Array[Int] = {
    val numbers = new Array[Int](256)
    common.indices.foreach(i => numbers(common(i)) = i + 1)
    numbers
  }

  /** Returns the number of a common input, otherwise 0. */
  def commonNumber(input: Int): Int = commonNumbers(input)
}
