// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.spi._

/** Lists of a sparse page: the slots with children, and their numbers of children. Source: message
  * `SparseListLayer`; format page of the structural encodings, "Sparse pages". Hot code:
  * imperative.
  *
  * {{{
  *   [1, 2]  null  []  [3]      non-empty positions 0 3, counts 2 1, nulls 1
  * }}}
  * Counts are at least 1, and their sum is the number of child slots. Null slots have no children.
  */
private[planar] object SparseListLayer {

  def apply(
      message: v2_3.SparseListLayer,
      numSlots: Long,
      chooser: DecoderChooser
  ): SparseStructure.Layer = {
    val count = message.getNumNonEmptyPositions
    val nonEmpty = SparseValiditySet.positions(
      "lists with children",
      message.getNonEmptyPositions,
      count,
      numSlots,
      chooser
    )
    val counts = new SparseSequence(chooser.sequence(message.getCounts, 64), count)
    val validity = SparseValiditySet(message.getValidity, numSlots, chooser)
    new SparseStructure.Layer {
      def numChildSlots: Long = message.getNumChildSlots
      def numBuffers: Int = nonEmpty.numBuffers + counts.numBuffers + validity.numBuffers

      def open(buffers: Iterator[Buffer]): SparseDomain = {
        val positions = SparsePositions.open(nonEmpty, numSlots, buffers)
        val children = Counts.open(counts, numChildSlots, buffers)
        new SparseLists(positions, children, validity.open(buffers))
      }
    }
  }

  /** The numbers of children of non-empty lists. */
  sealed abstract class Counts {

    /** Returns the total number of children of the first `lists` non-empty lists. */
    def before(lists: Long): Long
  }

  private object Counts {
    def open(sequence: SparseSequence, total: Long, buffers: Iterator[Buffer]): Counts = {
      val n = sequence.numValues
      sequence.progression match {
        case Some(Progression(count, 0)) =>
          CorruptFileException.check(
            if (n == 0) total == 0 else count > 0 && total % count == 0 && total / count == n,
            s"$n lists of $count children, but $total child slots"
          )
          new Equal(count)
        case _ => new Listed(prefixSums(
            sequence.decode(buffers),
            Checked.int(n, "lists of a sparse page"),
            total
          ))
      }
    }

    private def prefixSums(counts: Array[Long], n: Int, total: Long): Array[Long] = {
      val sums = new Array[Long](n + 1)
      var i = 0
      while (i < n) {
        val count = counts(i)
        if (count <= 0 || count > total - sums(i))
          throw new CorruptFileException(
            s"non-empty list $i has ${java.lang.Long.toUnsignedString(count)} of $total children, after " +
              s"${sums(i)} others"
          )
        sums(i + 1) = sums(i) + count
        i += 1
      }
      CorruptFileException.check(
        sums(n) == total,
        s"$n lists of ${sums(n)} children, but the page declares $total"
      )
      sums
    }
  }

  final private class Equal(count: Long) extends Counts {
    def before(lists: Long): Long = lists * count
  }

  final private class Listed(sums: Array[Long]) extends Counts {
    def before(lists: Long): Long = sums(lists.toInt)
  }
}

/** Lists of a sparse page after its bytes were read. */
final private[planar] class SparseLists(
    nonEmpty: SparsePositions,
    counts: SparseListLayer.Counts,
    val validity: SparseValidity
) extends SparseDomain {
  private val nulls = new Validity
  private var offsets = Array.emptyIntArray

  def isList: Boolean = true

  def childStart(slot: Long): Long = counts.before(nonEmpty.rank(slot))

  def layer(from: Long, until: Long): Layer = {
    val numSlots = (until - from).toInt
    if (offsets.length <= numSlots)
      offsets = new Array(Values.grownCapacity(offsets.length, numSlots + 1L))
    var list = nonEmpty.rank(from)
    val last = nonEmpty.rank(until)
    val first = counts.before(list)
    SparseDomains.batchLength(counts.before(last) - first): Unit
    var children = 0
    var slot = 0 // the next slot without a start
    while (list < last) {
      val at = (nonEmpty(list) - from).toInt
      java.util.Arrays.fill(offsets, slot, at + 1, children)
      slot = at + 1
      list += 1
      children = (counts.before(list) - first).toInt
    }
    java.util.Arrays.fill(offsets, slot, numSlots + 1, children)
    val slotValidity = validity.of(from, until, nulls)
    if (slotValidity != null) checkNulls(slotValidity, numSlots)
    ListLayer(numSlots, offsets, slotValidity)
  }

  private def checkNulls(validity: Validity, numSlots: Int): Unit = {
    var i = 0
    while (i < numSlots) {
      if (offsets(i) != offsets(i + 1) && !validity.isValid(i))
        throw new CorruptFileException("a null list has children")
      i += 1
    }
  }
}
