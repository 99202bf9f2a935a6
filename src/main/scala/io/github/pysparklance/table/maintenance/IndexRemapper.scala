// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import scala.annotation.unused

import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.reuse.RowMoves
import io.github.pysparklance.table.transaction.operation.RewrittenIndex

/** Builds index segments again after rows have moved. Implemented by the layer that knows index files. */
trait IndexRemapper {

  /** Whether segments of this kind can be built again. Fragments that others cover are not compacted, unless their
    * indices follow later.
    */
  def canRemap(segment: IndexSegment): Boolean

  /** Whether a compaction takes the fragments that it replaces out of segments of this kind, which are kept as they are.
    */
  def isLeftBehind(@unused segment: IndexSegment): Boolean = false

  /** Removes what [[remap]] wrote, after a compaction that was not committed. */
  def discard(): Unit = ()

  /** Writes a segment anew under a new id, with the rows where they are now.
    *
    * @param table the version the segment is of
    * @param moves where rows went, and which are gone; each address is moved by one of them at most
    */
  def remap(table: LanceTable, segment: IndexSegment, moves: Seq[RowMoves]): RewrittenIndex
}

object IndexRemapper {

  /** Builds no index. */
  val none: IndexRemapper = new IndexRemapper {
    def canRemap(segment: IndexSegment): Boolean = false
    def remap(table: LanceTable, segment: IndexSegment, moves: Seq[RowMoves]): RewrittenIndex =
      throw new UnsupportedOperationException(s"the index ${segment.name}")
  }
}
