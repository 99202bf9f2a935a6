// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import scala.annotation.unused

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.reuse.RowMoves
import io.github.pysparklance.table.transaction.operation.RewrittenIndex

/** Rebuilds index segments after rows moved. Implemented by the index layer. */
trait IndexRemapper {

  /** Whether segments of this kind can be rebuilt. Fragments of other segments are not compacted,
    * unless the remap of indices is deferred.
    */
  def canRemap(segment: IndexSegment): Boolean

  /** Whether a compaction only removes replaced fragments from the coverage of segments of this
    * kind and keeps the segments.
    */
  def isLeftBehind(@unused segment: IndexSegment): Boolean = false

  /** Returns the fragments of a segment that no compaction may replace, even if it does not rebuild
    * the segment.
    */
  def pinnedFragments(@unused segment: IndexSegment): RoaringBitmap = new RoaringBitmap

  /** Removes the files that [[remap]] wrote, after a compaction that was not committed. */
  def discard(): Unit = ()

  /** Writes a segment under a new id with the new addresses of its rows.
    *
    * @param table the version of the segment
    * @param moves moved and deleted rows; at most one of them moves each address
    */
  def remap(table: LanceTable, segment: IndexSegment, moves: Seq[RowMoves]): RewrittenIndex
}

object IndexRemapper {

  /** Returns a remapper that rebuilds each segment with the first remapper that can. */
  def of(remappers: IndexRemapper*): IndexRemapper = new IndexRemapper {
    def canRemap(segment: IndexSegment): Boolean = remappers.exists(_.canRemap(segment))

    override def isLeftBehind(segment: IndexSegment): Boolean =
      remappers.exists(_.isLeftBehind(segment))

    override def pinnedFragments(segment: IndexSegment): RoaringBitmap =
      remappers.map(_.pinnedFragments(segment)).foldLeft(new RoaringBitmap)(RoaringBitmap.or(_, _))

    override def discard(): Unit = remappers.foreach(_.discard())

    def remap(table: LanceTable, segment: IndexSegment, moves: Seq[RowMoves]): RewrittenIndex =
      remappers.find(_.canRemap(segment)).getOrElse(none).remap(table, segment, moves)
  }

  /** Rebuilds no index. */
  val none: IndexRemapper = new IndexRemapper {
    def canRemap(segment: IndexSegment): Boolean = false
    def remap(table: LanceTable, segment: IndexSegment, moves: Seq[RowMoves]): RewrittenIndex =
      throw new UnsupportedOperationException(s"the index ${segment.name}")
  }
}
