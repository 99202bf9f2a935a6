// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.util.UUID

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Field
import io.github.pysparklance.index.spi.SegmentFile
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment
import io.github.pysparklance.table.scan.MetadataColumn

/** An index and the column that it is built from. */
trait IndexedColumn extends Serializable {

  /** The name of the index. */
  def name: String

  /** Path from the top-level column to the indexed field, through structs. */
  def way: IndexedSeq[Field]

  /** The indexed field. */
  def field: Field = way.last

  /** The metadata column whose values segments store. */
  def rowColumn: MetadataColumn

  /** Format version of new segments. */
  def indexVersion: Int

  /** Name of the message that describes the index. */
  def detailsType: String

  /** The message in the manifest. */
  def details: Array[Byte]

  /** Number of rows that are read together. */
  def batchRows: Int = IndexedColumn.defaultBatchRows

  /** Returns the manifest entry of a new segment. */
  final def segment(
      uuid: UUID,
      table: LanceTable,
      fragmentIds: RoaringBitmap,
      files: Seq[SegmentFile]
  ): IndexSegment = IndexSegment.of(
    uuid,
    name,
    Seq(field.id),
    table.version,
    fragmentIds,
    detailsType,
    details,
    indexVersion,
    files.map(f => f.name -> f.sizeBytes)
  )
}

object IndexedColumn {
  val defaultBatchRows: Int = 8192
}
