// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import java.util.concurrent.ConcurrentHashMap

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.RowMapping
import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.index.spi.{AddressSet, IndexFiles, RowSet, RowSetBuilder}
import io.github.pysparklance.index.vector.search.RowMask
import io.github.pysparklance.index.vector.segment.VectorPartition
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{DataFile, Fragment, IndexSegment}

/** Creates masks for the segments of a version of a table, and finds segments with outdated
  * vectors. A mask accepts the live rows of the fragments that the segment covers. Thread-safe.
  *
  * With stable row ids, a mask is a set of ids. Otherwise, it tests addresses, which are first
  * mapped through deferred compactions.
  */
final private[index] class SegmentMasks(table: LanceTable, mapping: RowMapping) {

  private val deletions = new ConcurrentHashMap[Long, DeletionVector]

  /** Returns the mask of a segment.
    *
    * @param files files of the segment, whose cache keeps masks of all rows
    * @param covered ids of the fragments to search
    * @param rows addresses of rows that may be found; `None` for all
    */
  def of(files: IndexFiles, covered: RoaringBitmap, rows: Option[AddressSet]): RowMask =
    rows match {
      case None =>
        files.cache(version :+ "mask" :+ covered)(all(covered)).mask
      case Some(its) =>
        val fragments = its.fragments.filter(id => covered.contains(id.toInt)).toIndexedSeq
        if (table.hasStableRowIds) new RowMask.Of(ids(fragments, its))
        else
          new RowMask.Addresses(
            fragments.map(id => id -> Option(its.offsets(id))).toMap,
            deletionsOf(fragments)
          )
    }

  /** Whether a segment may have vectors of covered rows from before an update. The cache keeps the
    * result.
    */
  def mayBeOutdated(segment: IndexSegment, files: IndexFiles, covered: RoaringBitmap): Boolean =
    files.cache(version :+ "outdated" :+ covered)(
      new SegmentMasks.Outdated(
        mapping.haveMovedRows(segment, covered) || covered.toArray.exists(id =>
          isUpdatedInPlace(byId(id & 0xffffffffL))
        )
      )
    ).value

  private def isUpdatedInPlace(f: Fragment): Boolean =
    f.files.exists(_.fields.contains(DataFile.tombstone))

  /** Identifies the version in the cache. */
  private def version: Seq[Any] = Seq(table.path, table.version, table.manifest.transactionFile)

  private def all(covered: RoaringBitmap): SegmentMasks.Cached =
    if (table.hasStableRowIds) {
      val rows = mapping.rowIds(covered)
      new SegmentMasks.Cached(new RowMask.Of(rows), rows.sizeInBytes)
    } else {
      val fragments = covered.toArray.toIndexedSeq.map(_ & 0xffffffffL)
      val deleted = deletionsOf(fragments)
      val bytes = 64L * fragments.length + 4L * deleted.valuesIterator.map(_.numDeletedRows).sum
      new SegmentMasks.Cached(
        new RowMask.Addresses(fragments.map(_ -> None).toMap, deleted),
        bytes
      )
    }

  /** A fragment that an index covers in this version. */
  private def byId(id: Long): Fragment = table.fragment(id).get

  private def deletionsOf(fragments: IndexedSeq[Long]): Map[Long, DeletionVector] =
    fragments.iterator.filter(byId(_).deletionFile.isDefined)
      .map(id => id -> deletions.computeIfAbsent(id, i => table.deletionVector(byId(i)))).toMap

  /** Returns the stable ids of rows that are not deleted. */
  private def ids(fragments: IndexedSeq[Long], rows: AddressSet): RowSet = {
    val deleted = deletionsOf(fragments)
    val found = new RowSetBuilder
    fragments.foreach { id =>
      table.rowIds(byId(id)).foreach { ids =>
        val offsets = rows.offsets(id).getIntIterator
        while (offsets.hasNext) {
          val offset = offsets.next() & 0xffffffffL
          if (offset < ids.numRows && !deleted.get(id).exists(_.isDeleted(offset)))
            found.add(ids(offset)): Unit
        }
      }
    }
    found.result()
  }

  /** Returns the rows of a partition in the form of masks and results. */
  def rowsOf(files: IndexFiles)(number: Int, partition: VectorPartition): Array[Long] =
    rowsOf(files, number, partition.rows)

  /** Returns rows of a segment in the form of masks and results.
    *
    * @param part identifies the part of the segment with these rows
    * @param rows rows as the segment stores them
    */
  def rowsOf(files: IndexFiles, part: Any, rows: Array[Long]): Array[Long] =
    if (table.hasStableRowIds || mapping.reuse.isEmpty) rows
    else
      files.cache(version :+ "moved" :+ part)(
        new SegmentMasks.Moved(rows.map(mapping.reuse(_)))
      ).rows
}

private object SegmentMasks {

  /** A mask of all rows of some fragments. */
  final private class Cached(val mask: RowMask, val sizeInBytes: Long) extends IndexCache.Part

  final private class Outdated(val value: Boolean) extends IndexCache.Part {
    def sizeInBytes: Long = 64
  }

  /** Addresses of the rows of a partition in a version. */
  final private class Moved(val rows: Array[Long]) extends IndexCache.Part {
    def sizeInBytes: Long = 8L * rows.length
  }
}
