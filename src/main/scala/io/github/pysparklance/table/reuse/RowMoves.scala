// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.reuse

import java.io.IOException
import java.nio.{ByteBuffer, ByteOrder}

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.CorruptFileException
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.rowid.RowAddress

/** Maps addresses of rows in rewritten fragments. The surviving rows of the old fragments, in
  * order, are the rows of the new ones. Immutable and compact: one bitmap per old fragment.
  *
  * {{{
  *   old   3: rows 0 1 . 3    4: rows . 1          new  9: 3 rows  10: 2 rows
  *   3:0 -> 9:0   3:1 -> 9:1   3:2 deleted   3:3 -> 9:2   4:0 deleted   4:1 -> 10:0
  * }}}
  * Serialized as a Roaring treemap of the surviving old addresses: u64 number of fragments, then
  * for each, ascending, its id as u32 and a portable 32-bit bitmap of its rows. Little endian.
  *
  * Source: format page of the table, "Compaction", `changed_row_addrs`.
  *
  * @param survivors rows by old fragment, ascending ids
  * @param oldIds all old fragments, including ones without surviving rows
  * @param added ids and numbers of rows of the new fragments
  */
final class RowMoves private (
    survivors: IndexedSeq[(Long, RoaringBitmap)],
    oldIds: Set[Long],
    added: IndexedSeq[(Long, Long)]
) extends Serializable {
  private val bitmaps = survivors.toMap
  private val before: Map[Long, Long] = survivors.iterator
    .map(_._1)
    .zip(survivors.iterator.scanLeft(0L)((sum, s) => sum + s._2.getLongCardinality))
    .toMap
  private val starts: Array[Long] = added.iterator.map(_._2).scanLeft(0L)(_ + _).toArray

  /** Whether rows of this fragment moved. */
  def moves(fragmentId: Long): Boolean = oldIds(fragmentId)

  /** Returns the current address of a row, or [[RowAddress.none]] if it is deleted. Rows of other
    * fragments keep their address.
    */
  def apply(address: Long): Long = {
    val fragment = RowAddress.fragmentId(address)
    val offset = RowAddress.offset(address).toInt
    if (!oldIds(fragment)) address
    else
      bitmaps.get(fragment).filter(_.contains(offset)) match {
        case None => RowAddress.none
        case Some(rows) => addressOf(before(fragment) + rows.rankLong(offset) - 1)
      }
  }

  private def addressOf(rank: Long): Long = {
    val found = java.util.Arrays.binarySearch(starts, rank)
    // Empty fragments start at the same rank as the next one. The last of them has the row.
    var at = if (found >= 0) found else -found - 2
    while (at + 1 < added.length && starts(at + 1) == rank) at += 1
    RowAddress(added(at)._1, rank - starts(at))
  }

  /** Serializes the surviving old addresses. */
  private[table] def toBytes: Array[Byte] = {
    val size = 8L + survivors.map(s => 4L + s._2.serializedSizeInBytes).sum
    val out = ByteBuffer.allocate(Math.toIntExact(size)).order(ByteOrder.LITTLE_ENDIAN)
    out.putLong(survivors.length.toLong)
    survivors.foreach { case (id, rows) =>
      out.putInt(id.toInt)
      val body = ByteBuffer.allocate(rows.serializedSizeInBytes)
      rows.serialize(body)
      out.put(body.array)
    }
    out.array
  }
}

object RowMoves {

  /** Creates a mapping.
    *
    * @param survivors rows that are not deleted, by old fragment
    * @param added ids and numbers of rows of the new fragments, in order
    */
  private[table] def apply(
      survivors: IndexedSeq[(Long, RoaringBitmap)],
      added: IndexedSeq[(Long, Long)]
  ): RowMoves = {
    val kept = survivors.sortBy(_._1)
    kept.foreach(_._2.runOptimize())
    checked(kept.filterNot(_._2.isEmpty), survivors.map(_._1).toSet, added)
  }

  /** Parses a recorded mapping.
    *
    * @throws CorruptFileException if the bytes are not row addresses, or their number differs from
    *   the new rows
    */
  private[table] def parse(
      bytes: Array[Byte],
      oldIds: Set[Long],
      added: IndexedSeq[(Long, Long)]
  ): RowMoves = {
    def corrupt(cause: Throwable = null): Nothing =
      throw new CorruptFileException(
        "corrupt fragment reuse: not a treemap of row addresses",
        cause = cause
      )
    val in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    if (bytes.length < 8) corrupt()
    val n = in.getLong
    if (n < 0 || n > bytes.length / 4) corrupt()
    val survivors = (0L until n).map { _ =>
      if (in.remaining < 4) corrupt()
      val id = in.getInt & 0xffffffffL
      val rows = new RoaringBitmap
      try {
        rows.deserialize(in.slice().order(ByteOrder.LITTLE_ENDIAN))
        in.position(in.position() + rows.serializedSizeInBytes)
      } catch {
        case e @ (_: IOException | _: RuntimeException) => corrupt(e)
      }
      id -> rows
    }
    CorruptFileException.check(
      added.forall { case (_, numRows) => numRows >= 0 && numRows <= Fragment.maxRows },
      "corrupt fragment reuse: a new fragment with an impossible number of rows"
    )
    if (survivors.map(_._1).distinct.length != survivors.length) corrupt()
    CorruptFileException.check(
      survivors.forall(s => oldIds(s._1)),
      "corrupt fragment reuse: rows of a fragment that was not rewritten"
    )
    checked(survivors.sortBy(_._1), oldIds, added)
  }

  private def checked(
      survivors: IndexedSeq[(Long, RoaringBitmap)],
      oldIds: Set[Long],
      added: IndexedSeq[(Long, Long)]
  ): RowMoves = {
    val (before, after) = (survivors.map(_._2.getLongCardinality).sum, added.map(_._2).sum)
    CorruptFileException.check(
      before == after,
      s"corrupt fragment reuse: $before rows of the old fragments, but $after rows of the new ones"
    )
    new RowMoves(survivors, oldIds, added)
  }
}
