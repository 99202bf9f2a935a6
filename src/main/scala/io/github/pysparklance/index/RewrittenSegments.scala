// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.UUID

import scala.collection.mutable

import io.github.pysparklance.core.{Interrupts, Log, Wrapped}
import io.github.pysparklance.index.spi.SegmentFile
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.transaction.operation.{IndexFile, RewrittenIndex}
import io.github.pysparklance.table.{LanceTable, UncommittedFiles}

/** The index segments that a compaction wrote again. Not thread-safe. */
final private[index] class RewrittenSegments {
  private val written = mutable.ArrayBuffer.empty[(LanceTable, UUID)]

  /** Records a segment that replaces another one.
    *
    * @param table the version of the replaced segment
    * @param uuid id of the new segment
    * @param files files of the new segment
    */
  def add(
      table: LanceTable,
      replaced: IndexSegment,
      uuid: UUID,
      files: Seq[SegmentFile]
  ): RewrittenIndex = {
    written += table -> uuid
    RewrittenSegments.log.info(
      s"${table.path}: wrote segment ${replaced.uuid} of the index ${replaced.name} again as $uuid"
    )
    RewrittenIndex(
      replaced.uuid,
      uuid,
      replaced.detailsType,
      Wrapped(replaced.details),
      replaced.indexVersion,
      files.map(f => IndexFile(f.name, f.sizeBytes))
    )
  }

  /** Removes the new segments, after a compaction that was not committed. */
  def discard(): Unit = Interrupts.defer {
    written.foreach { case (table, uuid) =>
      UncommittedFiles.removeSegment(table.store, table.path, uuid)
    }
    written.clear()
  }
}

private object RewrittenSegments {
  private val log = Log(classOf[RewrittenSegments])
}
