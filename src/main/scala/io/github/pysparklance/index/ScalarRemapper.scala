// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.UUID

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.index.spi.{IndexParameters, SegmentFile, SegmentSource}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.maintenance.IndexRemapper
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.reuse.RowMoves
import io.github.pysparklance.table.transaction.operation.RewrittenIndex

/** Keeps scalar indices valid when a compaction moves rows. BTREE, BITMAP, LABEL_LIST, NGRAM, and
  * INVERTED indices are rewritten with the new addresses. The replaced fragments are removed from
  * the coverage of bloom filters and zone maps. The zones of the new fragments are added to zone
  * maps after the commit.
  *
  * An instance is for one compaction and is not thread-safe.
  *
  * @param table the version that is compacted
  * @param writer writes the segments
  */
final class ScalarRemapper(table: LanceTable, writer: SegmentMerge) extends IndexRemapper {
  private val rewritten = new RewrittenSegments

  private val writable = mutable.Map.empty[UUID, Boolean]
  private val pinned = mutable.Map.empty[UUID, RoaringBitmap]

  def canRemap(segment: IndexSegment): Boolean =
    ScalarIndices.usable(table, segment).exists { kind =>
      kind.isRemappable && writable.getOrElseUpdate(
        segment.uuid,
        kind.isWritable(
          SegmentFiles.uncached(table, segment),
          ScalarIndices.wayOf(table, segment)
        )
      ) && pinnedFragments(segment).isEmpty
    }

  override def pinnedFragments(segment: IndexSegment): RoaringBitmap =
    pinned.getOrElseUpdate(segment.uuid, ScalarIndices.ignoredFragments(table, segment))

  override def isLeftBehind(segment: IndexSegment): Boolean =
    ScalarIndices.usable(table, segment).exists(!_.isRemappable)

  def remap(table: LanceTable, segment: IndexSegment, moves: Seq[RowMoves]): RewrittenIndex = {
    val kind = ScalarIndices.usable(table, segment).getOrElse(
      throw new UnsupportedFeatureException(s"writing the index ${segment.name} again")
    )
    val files = SegmentFiles.uncached(table, segment)
    val definition = IndexDefinition(
      segment.name,
      kind,
      table.schema.way(segment.fields.head).get,
      IndexParameters.ofStored(kind.name, kind.parameters, kind.parametersOf(files)),
      segment.indexVersion,
      segment.hasRowAddresses || !table.hasStableRowIds
    )
    val indices = new ScalarIndices(table)
    val isExact = indices.canRecordExact(segment, segment.bitmap.getOrElse(new RoaringBitmap))
    val (uuid, written) =
      writer.merge(table, definition, Seq(SegmentSource(files, new MovedRows(moves))), isExact)
    rewritten.add(table, segment, uuid, written)
  }

  override def discard(): Unit = rewritten.discard()
}

/** Merges segments of an index. */
trait SegmentMerge {

  /** Writes a segment with the rows of several segments. Removes its files if it fails.
    *
    * @param isExact whether the segments have no outdated entries
    * @return the id of the new segment, and its files
    */
  def merge(
      table: LanceTable,
      index: IndexDefinition,
      sources: Seq[SegmentSource],
      isExact: Boolean
  ): (UUID, Seq[SegmentFile])
}
