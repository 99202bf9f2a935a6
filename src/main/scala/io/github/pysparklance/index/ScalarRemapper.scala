// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.UUID

import scala.collection.mutable

import io.github.pysparklance.core.{Interrupts, Log, UnsupportedFeatureException, Wrapped}
import io.github.pysparklance.index.spi.{IndexParameters, NewSegment, SegmentSource}
import io.github.pysparklance.table.{LanceTable, UncommittedFiles}
import io.github.pysparklance.table.maintenance.IndexRemapper
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.reuse.RowMoves
import io.github.pysparklance.table.transaction.{IndexFile, RewrittenIndex}

/** Lets scalar indices follow the rows that a compaction moves: BTREE, BITMAP, LABEL_LIST, and NGRAM indices are written
  * again with the new addresses. Bloom filters lose the fragments that the compaction replaces, and so do zone maps, to
  * which the zones of the new fragments are added after the commit.
  *
  * An instance is for one compaction and is not thread-safe.
  */
final class ScalarRemapper extends IndexRemapper {
  private val written = mutable.ArrayBuffer.empty[(LanceTable, UUID)]

  def canRemap(segment: IndexSegment): Boolean =
    ScalarIndices.usable(segment).exists(_.isRemappable)

  override def isLeftBehind(segment: IndexSegment): Boolean =
    ScalarIndices.usable(segment).exists(!_.isRemappable)

  def remap(table: LanceTable, segment: IndexSegment, moves: Seq[RowMoves]): RewrittenIndex = {
    val kind = ScalarIndices.usable(segment).getOrElse(
      throw new UnsupportedFeatureException(s"writing the index ${segment.name} again")
    )
    val files = ScalarIndices.files(table, segment)
    val field = table.schema.byId(segment.fields.head).get
    val parameters = IndexParameters.of(kind.name, kind.parameters, kind.parametersOf(files))
    val uuid = UUID.randomUUID()
    written += table -> uuid
    val into = new NewSegment(
      table.store,
      IndexSegment.newFolder(table.root, uuid),
      NewSegment.fileVersion(table.fileVersion)
    )
    ScalarRemapper.log.info(
      s"${table.path}: writing segment ${segment.uuid} of the index ${segment.name} again as $uuid"
    )
    kind.merge(Seq(SegmentSource(files, new MovedRows(moves))), field, parameters, into)
    RewrittenIndex(
      segment.uuid,
      uuid,
      segment.detailsType,
      Wrapped(segment.details),
      segment.indexVersion,
      into.files.map(f => IndexFile(f.name, f.sizeBytes))
    )
  }

  override def discard(): Unit = Interrupts.defer {
    written.foreach { case (table, uuid) =>
      UncommittedFiles.removeSegment(table.store, table.path, uuid)
    }
    written.clear()
  }
}

private object ScalarRemapper {
  private val log = Log(classOf[ScalarRemapper])
}
