// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.build

import java.util.UUID

import scala.collection.mutable

import io.github.pysparklance.index.spi.{SegmentFile, SegmentSource}
import io.github.pysparklance.index.vector.segment.StoredSegment
import io.github.pysparklance.index.vector.{VectorColumn, VectorIndices}
import io.github.pysparklance.index.{MovedRows, RewrittenSegments, SegmentFiles}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.maintenance.IndexRemapper
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.reuse.RowMoves
import io.github.pysparklance.table.transaction.operation.RewrittenIndex

/** Rewrites the segments of vector indices with the new addresses when a compaction moves rows.
  * Does not read the vectors again, and keeps the models.
  *
  * An instance is for one compaction and is not thread-safe.
  *
  * @param table the version that is compacted
  * @param writer writes the segments
  */
final class VectorRemapper(table: LanceTable, writer: VectorMerge) extends IndexRemapper {
  private val rewritten = new RewrittenSegments
  private val opened = mutable.Map.empty[UUID, Option[StoredSegment]]

  def canRemap(segment: IndexSegment): Boolean = stored(segment).isDefined

  private def stored(segment: IndexSegment): Option[StoredSegment] =
    opened.getOrElseUpdate(
      segment.uuid,
      if (!VectorIndices.isVectorIndex(table, segment) || !VectorIndices.isUsable(segment)) None
      else
        VectorColumn.of(table.schema, segment.fields.head).flatMap { column =>
          SegmentFiles.readable(table, segment)(
            StoredSegment.open(SegmentFiles.uncached(table, segment), column.elementType)
          ).flatten
        }
    )

  def remap(table: LanceTable, segment: IndexSegment, moves: Seq[RowMoves]): RewrittenIndex = {
    val source = SegmentSource(SegmentFiles.uncached(table, segment), new MovedRows(moves))
    val (uuid, files) = writer.merge(table, segment.name, stored(segment).get, Seq(source))
    rewritten.add(table, segment, uuid, files)
  }

  override def discard(): Unit = rewritten.discard()
}

/** Merges segments of a vector index. */
trait VectorMerge {

  /** Writes a segment with the vectors of several segments of one model. Removes its files if it
    * fails.
    *
    * @param name name of the index, for descriptions
    * @param first segment with the model
    * @return the id of the new segment, and its files
    */
  def merge(
      table: LanceTable,
      name: String,
      first: StoredSegment,
      sources: Seq[SegmentSource]
  ): (UUID, Seq[SegmentFile])
}
