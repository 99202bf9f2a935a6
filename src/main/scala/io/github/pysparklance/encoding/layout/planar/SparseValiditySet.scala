// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.layout.planar

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.v2_3
import io.github.pysparklance.encoding.proto.v2_3.SparseValiditySet.Meaning
import io.github.pysparklance.encoding.spi._

/** The null slots of a layer. Source: message `SparseValiditySet`; format page of the structural
  * encodings, "Sparse pages".
  *
  * Stores the positions of the null slots or of the valid slots, whichever are fewer. A layer
  * without nulls has zero null positions.
  */
private[planar] object SparseValiditySet {

  /** The set before its bytes are read. */
  final class Plan(sequence: SparseSequence, numSlots: Long, positionsAreNull: Boolean) {
    def numBuffers: Int = sequence.numBuffers

    def open(buffers: Iterator[Buffer]): SparseValidity = {
      val positions = SparsePositions.open(sequence, numSlots, buffers)
      new SparseValidity(positions, numSlots, positionsAreNull)
    }
  }

  def apply(
      message: v2_3.SparseValiditySet,
      numSlots: Long,
      chooser: DecoderChooser
  ): Plan = {
    val positionsAreNull = message.getMeaning match {
      case Meaning.SPARSE_VALIDITY_NULL_POSITIONS => true
      case Meaning.SPARSE_VALIDITY_VALID_POSITIONS => false
      case _ =>
        throw new CorruptFileException(s"a validity set of meaning ${message.getMeaningValue}")
    }
    val sequence =
      positions("validity", message.getPositions, message.getNumPositions, numSlots, chooser)
    new Plan(sequence, numSlots, positionsAreNull)
  }

  /** Returns a sequence of positions in a layer. */
  private[planar] def positions(
      what: String,
      encoding: io.github.pysparklance.encoding.proto.v2_1.CompressiveEncoding,
      count: Long,
      numSlots: Long,
      chooser: DecoderChooser
  ): SparseSequence = {
    CorruptFileException.check(
      count >= 0 && count <= numSlots,
      s"${java.lang.Long.toUnsignedString(count)} positions ($what) in a domain of $numSlots slots"
    )
    new SparseSequence(chooser.sequence(encoding, 64), count)
  }
}

/** A set of valid slots. */
private[planar] trait ValidSet {

  /** Returns the number of slots of the set below `slot`. */
  def rank(slot: Long): Long

  /** Appends the slots of the set in `[from, until)`. */
  def appendRuns(from: Long, until: Long, out: SlotRuns): Unit

  /** Writes the validity of slots `[from, until)` to `out` and returns it. Returns null if all are
    * in the set.
    */
  def of(from: Long, until: Long, out: Validity): Validity
}

/** The slots of a layer that are not null themselves. */
final private[planar] class SparseValidity(
    positions: SparsePositions,
    val numSlots: Long,
    positionsAreNull: Boolean
) extends ValidSet {
  private val stored = new SlotRuns

  def hasNulls: Boolean =
    if (positionsAreNull) positions.count > 0 else positions.count < numSlots

  def rank(slot: Long): Long =
    if (positionsAreNull) slot - positions.rank(slot) else positions.rank(slot)

  def appendRuns(from: Long, until: Long, out: SlotRuns): Unit =
    if (!positionsAreNull) positions.appendRuns(from, until, out)
    else {
      stored.clear()
      positions.appendRuns(from, until, stored)
      var slot = from
      var r = 0
      while (r < stored.length) {
        out.add(slot, stored.from(r))
        slot = stored.until(r)
        r += 1
      }
      out.add(slot, until)
    }

  def of(from: Long, until: Long, out: Validity): Validity =
    if (rank(until) - rank(from) == until - from) null
    else {
      out.clear()
      stored.clear()
      positions.appendRuns(from, until, stored)
      var slot = from
      var r = 0
      while (r < stored.length) {
        append(out, (stored.from(r) - slot).toInt, positionsAreNull)
        append(out, (stored.until(r) - stored.from(r)).toInt, !positionsAreNull)
        slot = stored.until(r)
        r += 1
      }
      append(out, (until - slot).toInt, positionsAreNull)
      out
    }

  private def append(out: Validity, numItems: Int, valid: Boolean): Unit =
    if (valid) out.appendValid(numItems) else out.appendNulls(numItems)
}
