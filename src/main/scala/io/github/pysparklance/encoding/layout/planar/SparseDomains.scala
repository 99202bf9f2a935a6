// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.spi._

/** One layer of a sparse page after its bytes were read. */
private[planar] trait SparseDomain {
  def isList: Boolean

  /** Which slots are null themselves, not because of an ancestor. */
  def validity: SparseValidity

  /** Returns the first child of `slot` as a slot of the layer below. */
  def childStart(slot: Long): Long

  /** Returns the slots `[from, until)` as a layer of a batch. The next call reuses its arrays. */
  def layer(from: Long, until: Long): Layer
}

/** A layer of leaves, structs, or fixed-size lists. */
final private[planar] class SparseItems(val validity: SparseValidity, dimension: Long = 1)
    extends SparseDomain {
  private val nulls = new Validity

  def isList: Boolean = false

  def childStart(slot: Long): Long = slot * dimension

  def layer(from: Long, until: Long): Layer = ItemLayer(validity.of(from, until, nulls))
}

/** The nesting of a sparse page after its bytes were read.
  *
  * @param layers root first
  */
final private[planar] class SparseDomains(
    layers: IndexedSeq[SparseDomain],
    val numLeafSlots: Long
) {
  private val domains = layers.toArray

  /** Returns the first slot of the leaf that belongs to `row` or a later row. */
  def leafStart(row: Long): Long = {
    var slot = row
    var i = 0
    while (i < domains.length - 1) {
      slot = domains(i).childStart(slot)
      i += 1
    }
    slot
  }

  /** The non-null slots of the leaf. A slot is null if it or an ancestor is null. */
  lazy val validLeaves: ValidSet =
    // A null list has no children, so it hides none.
    if (layers.init.forall(l => l.isList || !l.validity.hasNulls)) layers.last.validity
    else new VisibleLeaves(visibleLeaves)

  private def visibleLeaves: SlotRuns = {
    var runs = new SlotRuns
    runs.add(0, layers.head.validity.numSlots)
    layers.foreach { domain =>
      val isLeaf = domain eq layers.last
      val below = new SlotRuns
      val valid = new SlotRuns
      var r = 0
      while (r < runs.length) {
        valid.clear()
        if (domain.isList) valid.add(runs.from(r), runs.until(r))
        else domain.validity.appendRuns(runs.from(r), runs.until(r), valid)
        var v = 0
        while (v < valid.length) {
          if (isLeaf) below.add(valid.from(v), valid.until(v))
          else below.add(domain.childStart(valid.from(v)), domain.childStart(valid.until(v)))
          v += 1
        }
        r += 1
      }
      runs = below
    }
    runs
  }

  /** Returns the layers of rows `[from, until)`, root first, and the range of their slots in the
    * leaf.
    */
  def read(from: Long, until: Long): (IndexedSeq[Layer], RowRange) = {
    val out = new Array[Layer](domains.length)
    var low = from
    var high = until
    var i = 0
    while (i < domains.length) {
      SparseDomains.batchLength(high - low): Unit
      out(i) = domains(i).layer(low, high)
      if (i < domains.length - 1) {
        low = domains(i).childStart(low)
        high = domains(i).childStart(high)
      }
      i += 1
    }
    (Wrapped(out), RowRange(low, high))
  }
}

private[planar] object SparseDomains {

  /** Maximum number of sequence values, or of runs of slots, in memory. */
  private val mostListed = 1L << 26

  /** Returns the length of an array for numbers of a page.
    *
    * @throws UnsupportedFeatureException if it would take too much memory
    */
  def listLength(count: Long): Int = {
    if (count > mostListed)
      throw new UnsupportedFeatureException(s"a sparse page with a sequence of $count numbers")
    count.toInt
  }

  /** Returns the number of slots of a batch.
    *
    * @throws UnsupportedFeatureException if they exceed a batch
    */
  def batchLength(count: Long): Int = {
    if (count > Values.maxArrayLength)
      throw new UnsupportedFeatureException(
        s"a batch that needs an array of $count elements; read fewer rows at a time"
      )
    count.toInt
  }
}

/** The slots in `runs`. */
final private class VisibleLeaves(runs: SlotRuns) extends ValidSet {

  /** Number of slots in the runs before run i. */
  private val before: Array[Long] = {
    val sums = new Array[Long](runs.length + 1)
    var i = 0
    while (i < runs.length) {
      sums(i + 1) = sums(i) + runs.until(i) - runs.from(i)
      i += 1
    }
    sums
  }

  /** Returns the first run that ends after `slot`. */
  private def runAt(slot: Long): Int = {
    var low = 0
    var high = runs.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (runs.until(middle) <= slot) low = middle + 1 else high = middle
    }
    low
  }

  def rank(slot: Long): Long = {
    val r = runAt(slot)
    if (r == runs.length) before(r) else before(r) + math.max(0, slot - runs.from(r))
  }

  def appendRuns(from: Long, until: Long, out: SlotRuns): Unit = {
    var r = runAt(from)
    while (r < runs.length && runs.from(r) < until) {
      out.add(math.max(from, runs.from(r)), math.min(until, runs.until(r)))
      r += 1
    }
  }

  def of(from: Long, until: Long, out: Validity): Validity =
    if (rank(until) - rank(from) == until - from) null
    else {
      out.clear()
      var slot = from
      var r = runAt(from)
      while (r < runs.length && runs.from(r) < until) {
        val start = math.max(from, runs.from(r))
        val end = math.min(until, runs.until(r))
        out.appendNulls((start - slot).toInt)
        out.appendValid((end - start).toInt)
        slot = end
        r += 1
      }
      out.appendNulls((until - slot).toInt)
      out
    }
}
