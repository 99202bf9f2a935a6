// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import java.util.concurrent.ConcurrentHashMap

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.RowMapping
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.index.spi.{IndexFiles, RowSet, RowSetBuilder}
import io.github.pysparklance.index.vector.search.RowMask
import io.github.pysparklance.index.vector.segment.VectorPartition
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment

/** Masks for the segments of a version of a table. They accept live rows in fragments that the segment covers. Safe for
  * use from many threads.
  *
  * With stable row ids, masks are sets of ids; without, they test addresses, which are followed through deferred
  * compactions first.
  */
final private[vector] class SegmentMasks(table: LanceTable, mapping: RowMapping) {

  private val byId: Map[Long, Fragment] = table.fragments.iterator.map(f => f.id -> f).toMap
  private val deletions = new ConcurrentHashMap[Long, DeletionVector]
  private val whole = new ConcurrentHashMap[RoaringBitmap, RowMask]

  /** The mask of a segment.
    *
    * @param covered ids of the fragments to search
    * @param rows addresses of rows that may be found; `None`: all
    */
  def of(covered: RoaringBitmap, rows: Option[RowSet]): RowMask = rows match {
    case None => whole.computeIfAbsent(covered, all(_))
    case Some(its) =>
      val fragments = its.uppers.filter(id => covered.contains(id.toInt)).toIndexedSeq
      if (table.hasStableRowIds) new RowMask.Of(ids(fragments, its))
      else
        new RowMask.Addresses(
          fragments.map(id => id -> Option(its.part(id))).toMap,
          deletionsOf(fragments)
        )
  }

  private def all(covered: RoaringBitmap): RowMask =
    if (table.hasStableRowIds) new RowMask.Of(mapping.rowIds(covered))
    else {
      val fragments = covered.toArray.toIndexedSeq.map(_ & 0xffffffffL)
      new RowMask.Addresses(fragments.map(_ -> None).toMap, deletionsOf(fragments))
    }

  private def deletionsOf(fragments: IndexedSeq[Long]): Map[Long, DeletionVector] =
    fragments.iterator.filter(byId(_).deletionFile.isDefined)
      .map(id => id -> deletions.computeIfAbsent(id, i => table.deletionVector(byId(i)))).toMap

  /** Stable ids of rows that are not deleted. */
  private def ids(fragments: IndexedSeq[Long], rows: RowSet): RowSet = {
    val deleted = deletionsOf(fragments)
    val found = new RowSetBuilder
    fragments.foreach { id =>
      table.rowIds(byId(id)).foreach { ids =>
        val offsets = rows.part(id).getIntIterator
        while (offsets.hasNext) {
          val offset = offsets.next() & 0xffffffffL
          if (offset < ids.numRows && !deleted.get(id).exists(_.isDeleted(offset)))
            found.add(ids(offset)): Unit
        }
      }
    }
    found.result()
  }

  /** Rows of a partition as masks know them, and as results have them. */
  def rowsOf(files: IndexFiles)(number: Int, partition: VectorPartition): Array[Long] =
    if (table.hasStableRowIds || mapping.reuse.isEmpty) partition.rows
    else
      files.cache(("moved", table.path, table.version, number))(
        new SegmentMasks.Moved(partition.rows.map(mapping.reuse(_)))
      ).rows
}

private object SegmentMasks {

  /** Addresses of the rows of a partition in a version. */
  final private class Moved(val rows: Array[Long]) extends IndexCache.Part {
    def sizeInBytes: Long = 8L * rows.length
  }
}
