// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text.build

import java.util.Arrays

import scala.collection.mutable

import io.github.pysparklance.index.postings.ByteSink
import io.github.pysparklance.index.text.segment.{Fst, FstNode}

/** Writes a token set as a finite state transducer, see [[Fst]]. The value of a token is its rank.
  *
  * A node is written as soon as no later token can pass through it. Equal nodes are shared, as far
  * as memory allows. Not thread-safe.
  */
final private[build] class FstBuilder {
  import FstBuilder._

  private val out = new ByteSink
  out.putLong(Fst.version)
  out.putLong(0L)
  private val path = mutable.ArrayBuffer(new Node)
  private val written = mutable.HashMap.empty[Shape, Int]
  private var last = Array.emptyByteArray
  private var lastAddress = -1
  private var count = 0

  /** Number of tokens. */
  def numTokens: Int = count

  /** Adds a token. Tokens must ascend. */
  def add(token: Array[Byte]): Unit = {
    val mismatch = Arrays.mismatch(last, token)
    val shared = if (mismatch < 0) last.length else mismatch
    var output = count.toLong
    (0 until shared).foreach(i => output -= path(i).lastOutput)
    freeze(shared)
    (shared until token.length).foreach { i =>
      path(i).open(token(i) & 0xff, if (i == shared) output else 0L)
      path += new Node
    }
    path.last.isFinal = true
    // Only the empty token ends at an existing node, and its rank is 0.
    last = token
    count += 1
  }

  /** Writes the nodes below a depth. */
  private def freeze(depth: Int): Unit = while (path.length > depth + 1) {
    val address = write(path.remove(path.length - 1), isRoot = false)
    path.last.close(address)
  }

  /** Returns all bytes. */
  def result(): Array[Byte] = {
    freeze(0)
    val root = write(path.head, isRoot = true)
    out.putLong(count.toLong)
    out.putLong(root.toLong)
    out.putInt(Fst.checksum(out.array, out.length))
    Arrays.copyOf(out.array, out.length)
  }

  /** Returns the address of a node. Writes the node unless an equal one exists. */
  private def write(node: Node, isRoot: Boolean): Int =
    if (node.isFinal && node.numTransitions == 0 && !isRoot) 0
    else {
      val shape = node.shape
      written.getOrElse(
        shape, {
          val address = encode(node)
          if (written.size >= maxShared) written.clear()
          written(shape) = address
          address
        }
      )
    }

  private def encode(node: Node): Int = {
    val start = out.length
    if (node.numTransitions == 1 && !node.isFinal) {
      val number = FstNode.commonNumber(node.inputs(0))
      val target = node.targets(0)
      if (target == lastAddress && node.outputs(0) == 0) {
        if (number == 0) out.putByte(node.inputs(0))
        out.putByte(0xc0 | number)
      } else {
        val outputBytes = if (node.outputs(0) == 0) 0 else numBytes(node.outputs(0))
        put(node.outputs(0), outputBytes)
        val delta = if (target == 0) 0L else (start - target).toLong
        val deltaBytes = numBytes(delta)
        put(delta, deltaBytes)
        out.putByte(deltaBytes << 4 | outputBytes)
        if (number == 0) out.putByte(node.inputs(0))
        out.putByte(0x80 | number)
      }
    } else encodeMany(node, start)
    lastAddress = out.length - 1
    lastAddress
  }

  private def encodeMany(node: Node, start: Int): Unit = {
    val n = node.numTransitions
    val deltas = Array.tabulate(n) { i =>
      if (node.targets(i) == 0) 0L else (start - node.targets(i)).toLong
    }
    val outputBytes =
      if (node.outputs.take(n).forall(_ == 0)) 0 else node.outputs.take(n).map(numBytes).max
    val deltaBytes = if (n == 0) 0 else deltas.map(numBytes).max
    if (node.isFinal) put(0L, outputBytes)
    (n - 1 to 0 by -1).foreach(i => put(node.outputs(i), outputBytes))
    (n - 1 to 0 by -1).foreach(i => put(deltas(i), deltaBytes))
    (n - 1 to 0 by -1).foreach(i => out.putByte(node.inputs(i)))
    if (n > 32) {
      val index = Array.fill(256)(0xff)
      (0 until n).foreach(i => index(node.inputs(i)) = i)
      index.foreach(out.putByte)
    }
    out.putByte(deltaBytes << 4 | outputBytes)
    if (n == 0 || n > 63) out.putByte(if (n == 256) 1 else n)
    out.putByte((if (node.isFinal) 0x40 else 0) | (if (n > 63) 0 else n))
  }

  private def put(value: Long, numBytes: Int): Unit =
    (0 until numBytes).foreach(i => out.putByte((value >>> (8 * i)).toInt & 0xff))
}

private object FstBuilder {

  /** Maximum number of nodes to keep for sharing. */
  private val maxShared = 1 << 16

  private def numBytes(value: Long): Int =
    math.max(1, (64 - java.lang.Long.numberOfLeadingZeros(value) + 7) / 8)

  /** A node whose last transition is open until its target is written. */
  final private class Node {
    var isFinal = false
    var numTransitions = 0
    var inputs = new Array[Int](1)
    var outputs = new Array[Long](1)
    var targets = new Array[Int](1)

    def lastOutput: Long = outputs(numTransitions - 1)

    def open(input: Int, output: Long): Unit = {
      if (numTransitions == inputs.length) {
        inputs = Arrays.copyOf(inputs, 2 * numTransitions)
        outputs = Arrays.copyOf(outputs, 2 * numTransitions)
        targets = Arrays.copyOf(targets, 2 * numTransitions)
      }
      inputs(numTransitions) = input
      outputs(numTransitions) = output
      numTransitions += 1
    }

    def close(target: Int): Unit = targets(numTransitions - 1) = target

    def shape: Shape = new Shape(
      isFinal,
      Arrays.copyOf(inputs, numTransitions),
      Arrays.copyOf(outputs, numTransitions),
      Arrays.copyOf(targets, numTransitions)
    )
  }

  final private class Shape(
      val isFinal: Boolean,
      val inputs: Array[Int],
      val outputs: Array[Long],
      val targets: Array[Int]
  ) {
    override val hashCode: Int =
      31 * (31 * Arrays.hashCode(inputs) + Arrays.hashCode(outputs)) + Arrays.hashCode(targets)
    override def equals(other: Any): Boolean = other match {
      case s: Shape =>
        isFinal == s.isFinal && Arrays.equals(inputs, s.inputs) &&
        Arrays.equals(outputs, s.outputs) && Arrays.equals(targets, s.targets)
      case _ => false
    }
  }
}
