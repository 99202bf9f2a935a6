// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.segment

import java.util.Arrays

import scala.collection.mutable

import io.github.pysparklance.core.CorruptFileException

/** Iterates over the keys of an [[Fst]] in ascending order, with their values. Hot code:
  * imperative.
  *
  * @param node node to load, over the bytes of the transducer
  * @param numTokens number of keys
  */
final private[segment] class FstTokens(node: FstNode, root: Int, numTokens: Int)
    extends Iterator[(Array[Byte], Long)] {
  import FstTokens._

  private val path = mutable.ArrayBuffer(Step(root, 0L))
  private var key = new Array[Byte](64)
  private var numLeft = numTokens

  /** Nodes are visited at most once on the way up from a key, and once on the way down to the next.
    * Without keys at its ends, a set of a few nodes has an exponential number of ways.
    */
  private val maxSteps = 4L * (root + 1L)

  def hasNext: Boolean = numLeft > 0

  def next(): (Array[Byte], Long) = Fst.inBounds {
    var found: (Array[Byte], Long) = null
    var numSteps = 0L
    while (found == null) {
      CorruptFileException.check(path.nonEmpty, s"a token set has fewer than $numTokens tokens")
      CorruptFileException.check(numSteps <= maxSteps, "a token set has nodes without tokens")
      numSteps += 1
      found = step()
    }
    numLeft -= 1
    found
  }

  /** Moves to the next node. Returns its key if it is final and was not visited before. */
  private def step(): (Array[Byte], Long) = {
    val at = path.last
    val depth = path.length - 1
    node.load(at.address)
    if (at.next < 0) {
      at.next = 0
      if (node.isFinal) (Arrays.copyOf(key, depth), at.value + node.finalOutput) else null
    } else if (at.next < node.numTransitions) {
      if (depth == key.length) key = Arrays.copyOf(key, 2 * depth)
      key(depth) = node.input(at.next).toByte
      path += Step(node.target(at.next), at.value + node.output(at.next))
      at.next += 1
      null
    } else {
      path.remove(depth)
      null
    }
  }
}

private object FstTokens {

  /** A node on the path.
    *
    * @param value sum of the outputs before the node
    */
  final private case class Step(address: Int, value: Long) {

    /** Number of the next transition; -1 before the node is visited. */
    var next: Int = -1
  }
}
