// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.rowid

import scala.jdk.CollectionConverters._


import io.github.pysparklance.core.{Checked, CorruptFileException, RowRange, Search}
import io.github.pysparklance.file.metadata.MessageHeap
import io.github.pysparklance.table.proto

/** The stable row ids of a fragment in row order, including deleted rows, as a sequence of
  * segments. Immutable, and as compact in memory as in the manifest.
  *
  * Ids are unsigned and unique among the rows of a table that are not deleted.
  *
  * Source: message `RowIdSequence`, rowids.proto; format page of the table, "Row-id sequence".
  */
final class RowIdSequence private (segments: Array[U64Segment]) {

  /** The row offset at which each segment starts, followed by the end of the last. */
  private val starts: Array[Long] = {
    val s = new Array[Long](segments.length + 1)
    segments.indices.foreach { i =>
      s(i + 1) = s(i) + segments(i).numValues
      CorruptFileException.check(
        s(i + 1) >= s(i),
        "corrupt row ids: more ids than a fragment can have rows"
      )
    }
    s
  }

  /** Number of rows. */
  def numRows: Long = starts(segments.length)

  /** Returns the id of the row at an offset, which must be in the fragment. */
  def apply(offset: Long): Long = {
    checkInside(offset, 1)
    val i = segmentOf(offset)
    segments(i)(offset - starts(i))
  }

  /** Writes the ids of `rows`, which must be in the fragment, to `out` from `at` on. */
  def fill(rows: RowRange, out: Array[Long], at: Int): Unit = {
    checkInside(rows.from, rows.numRows)
    var from = rows.from
    var i = if (rows.isEmpty) 0 else segmentOf(from)
    while (from < rows.until) {
      val until = math.min(rows.until, starts(i + 1))
      segments(i).fill(
        from - starts(i),
        out,
        at + (from - rows.from).toInt,
        (until - from).toInt
      )
      from = until
      i += 1
    }
  }

  /** Returns all ids. */
  def toArray: Array[Long] = {
    val out = new Array[Long](Checked.int(numRows, "row ids of a fragment"))
    fill(RowRange(0, numRows), out, 0)
    out
  }

  /** Calls `found` for each occurrence of the requested ids.
    *
    * @param ids ascending, unsigned, without duplicates
    * @param found takes an index into `ids` and a row offset
    */
  def locate(ids: Array[Long], found: (Int, Long) => Unit): Unit =
    segments.indices.foreach { s =>
      if (segments(s).numValues > 0) {
        val (min, max) = segments(s).bounds
        val from = UnsortedArray.numBelow(ids, 0, ids.length, min)
        val below = UnsortedArray.numBelow(ids, from, ids.length, max)
        val until = if (below < ids.length && ids(below) == max) below + 1 else below
        if (from < until)
          segments(s).locate(ids, from, until, (i, index) => found(i, starts(s) + index))
      }
    }

  /** Returns this sequence followed by consecutive ids. */
  def appended(firstId: Long, numRows: Long): RowIdSequence =
    if (numRows == 0) this
    else {
      val joined = segments.lastOption match {
        case Some(RangeSegment(start, n)) if start + n == firstId || n == 0 =>
          segments.init :+ RangeSegment(if (n == 0) firstId else start, n + numRows)
        case _ => segments :+ RangeSegment(firstId, numRows)
      }
      new RowIdSequence(joined)
    }

  /** Serializes the message, as stored in a manifest. */
  def toBytes: Array[Byte] =
    proto.RowIdSequence
      .newBuilder()
      .addAllSegments(segments.map(_.toMessage).toSeq.asJava)
      .build()
      .toByteArray

  private def checkInside(from: Long, numWanted: Long): Unit =
    if (from < 0 || numWanted > numRows - from)
      throw new IndexOutOfBoundsException(
        s"rows [$from, ${from + numWanted}) of a row-id sequence of $numRows"
      )

  /** Returns the last segment that starts at or before a row. Empty segments end where they start.
    */
  private def segmentOf(offset: Long): Int =
    Search.lastAtMost(starts, 0, segments.length - 1, offset)

  override def toString: String = s"RowIdSequence($numRows rows, ${segments.length} segments)"
}

object RowIdSequence {

  /** No rows. */
  val empty: RowIdSequence = new RowIdSequence(Array.empty)

  /** Returns the sequence `firstId`, `firstId + 1`, ... */
  def range(firstId: Long, numRows: Long): RowIdSequence = empty.appended(firstId, numRows)

  /** Encodes ids in the smallest form. */
  def of(ids: Array[Long]): RowIdSequence = new RowIdSequence(Array(U64Segment.encode(ids)))

  /** Parses the bytes of [[RowIdSequence.toBytes]].
    *
    * @param physicalRows rows of the fragment, if known
    * @throws CorruptFileException if the bytes are not a sequence of that many ids
    */
  def parse(bytes: Array[Byte], physicalRows: Option[Long]): RowIdSequence = {
    val message =
      MessageHeap.parsed(bytes, proto.RowIdSequence.getDescriptor, "row ids")(
        proto.RowIdSequence.parseFrom(_)
      )
    val sequence =
      new RowIdSequence(message.getSegmentsList.asScala.map(U64Segment.decode).toArray)
    physicalRows.foreach { rows =>
      CorruptFileException.check(
        sequence.numRows == rows,
        s"corrupt row ids: ${sequence.numRows} ids for $rows rows"
      )
    }
    sequence
  }
}
