// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.encoding.v2_0

import io.github.pysparklance.core._
import io.github.pysparklance.encoding.proto.{v2_0 => pb}
import io.github.pysparklance.encoding.spi._

/** Lists. Their items are in separate columns, whose pages have different boundaries. Source:
  * message `List`, encodings_v2_0.proto.
  *
  * {{{
  *   offsets   numValues x u64   the end of each list, relative to the first item of this page; null: plus adjustment
  *   adjustment (null_offset_adjustment) = num_items + 1
  *
  *   [A, B], null, [], [C, D, E]   adjustment 6   offsets 2 8 2 5   num_items 5
  * }}}
  * A null list can have items, which are skipped. The items of a page start where the items of the
  * previous page end. Hot code.
  */
object List {

  def decoder(message: pb.List, numValues: Long, chooser: ArrayChooser): ListDecoder = {
    val adjustment = message.getNullOffsetAdjustment
    CorruptFileException.check(
      adjustment > 0,
      s"List with the null adjustment ${java.lang.Long.toUnsignedString(adjustment)}"
    )
    CorruptFileException.check(
      message.getNumItems >= 0,
      s"List of ${java.lang.Long.toUnsignedString(message.getNumItems)} items"
    )
    val offsets = chooser.decoder(message.getOffsets, numValues, FixedWidth(64))
    new Node(offsets, adjustment, message.getNumItems)
  }

  final private class Node(offsets: ArrayDecoder, adjustment: Long, val numItems: Long)
      extends ListDecoder {
    def buffers: IndexedSeq[Int] = offsets.buffers
    override def head: IndexedSeq[Int] = offsets.head
    override def open(buffers: Array[Buffer]): Unit = offsets.open(buffers)
    def bitsPerValue: Long = offsets.bitsPerValue
    def yieldsNulls: Boolean = true

    def read(lists: RowRange): ListRead = {
      val hasStart = lists.from > 0
      val ends = offsets.read(RowRange(if (hasStart) lists.from - 1 else 0, lists.until))
      new Read(
        ends,
        Checked.int(lists.numRows, "lists of a read"),
        if (hasStart) 1 else 0,
        adjustment,
        numItems
      )
    }
  }

  final private class Read(
      offsets: ArrayRead,
      numLists: Int,
      skipped: Int,
      adjustment: Long,
      numItems: Long
  ) extends ListRead {
    // one entry per list: its end, with the highest bit set if it is null
    private var ends: Array[Long] = null
    private var at = skipped

    def needs: IndexedSeq[PageRange] = offsets.needs
    def isLast: Boolean = offsets.isLast
    def supply(bytes: IndexedSeq[Buffer]): Unit = offsets.supply(bytes)

    def items: RowRange = {
      learn()
      RowRange(end(skipped - 1), end(skipped + numLists - 1))
    }

    private def end(entry: Int): Long = if (entry < 0) 0L else ends(entry) & Long.MaxValue

    private def learn(): Unit = if (ends == null) {
      val read = new LongValues
      val nullable = new NullableValues(read)
      val n = numLists + skipped
      offsets.decode(n, nullable)
      CorruptFileException.check(!nullable.nulls.hasNulls, "List with null offsets")
      val a = read.array
      var previous = 0L
      var i = 0
      while (i < n) {
        val offset = a(i)
        val isNull = offset >= adjustment
        val end = if (isNull) offset % adjustment else offset
        if (offset < 0 || end < previous || end > numItems)
          throw new CorruptFileException(
            s"a List ends at item $end of $numItems, but the one before it at $previous"
          )
        a(i) = if (isNull) end | Long.MinValue else end
        previous = end
        i += 1
      }
      ends = a
    }

    def decode(numValues: Int, out: NullableValues): Unit = {
      learn()
      val lengths = out.values.asInstanceOf[IntValues]
      val before = lengths.numItems
      val to = lengths.extend(numValues)
      val a = ends
      var previous = end(at - 1)
      var nulls = 0L
      var i = 0
      while (i < numValues) {
        val entry = a(at + i)
        val end = entry & Long.MaxValue
        lengths.array(to + i) = Checked.int(end - previous, "items of a list")
        nulls |= entry
        previous = end
        i += 1
      }
      if (nulls < 0) appendValidity(numValues, out.nullsUpTo(before))
      at += numValues
    }

    private def appendValidity(numValues: Int, out: Validity): Unit = {
      out.reserve(numValues)
      var i = at
      while (i < at + numValues) {
        out.append(ends(i) >= 0)
        i += 1
      }
    }
  }

  /** Encodes a page of lists.
    *
    * @param ends the end of each list relative to the first item of the page; ascending
    * @param validity null if all lists are valid
    */
  def encode(ends: LongValues, validity: Validity, buffers: PageBuffers): pb.ArrayEncoding = {
    val n = ends.numItems
    val numItems = if (n == 0) 0L else ends.array(n - 1)
    val adjustment = numItems + 1
    val offsets =
      if (validity == null || !validity.hasNulls) ends else adjusted(ends, validity, adjustment)
    pb.ArrayEncoding.newBuilder().setList(
      pb.List
        .newBuilder()
        .setOffsets(Nullable.noNulls(Flat.encode(offsets, 64, buffers)))
        .setNullOffsetAdjustment(adjustment)
        .setNumItems(numItems)
    ).build()
  }

  private def adjusted(ends: LongValues, validity: Validity, adjustment: Long): LongValues = {
    val out = new LongValues
    out.appendFrom(ends, 0, ends.numItems)
    var i = 0
    while (i < out.numItems) {
      if (!validity.isValid(i)) out.array(i) += adjustment
      i += 1
    }
    out
  }
}
