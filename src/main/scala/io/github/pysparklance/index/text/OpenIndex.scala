// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.UUID

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.UnsupportedFeatureException
import io.github.pysparklance.index.spi.{AddressSet, IndexFiles}
import io.github.pysparklance.index.text.search.SearchedDocuments
import io.github.pysparklance.index.text.segment.{TextPartition, TextSegment}
import io.github.pysparklance.index.vector.SegmentMasks
import io.github.pysparklance.index.vector.search.RowMask
import io.github.pysparklance.table.manifest.IndexSegment

/** The segments of an index that are open for a search.
  *
  * @param damaged ids of segments to skip, because they could not be read
  */
final private[text] class OpenIndex(
    indices: TextIndices,
    val index: TextIndex,
    damaged: Set[UUID]
) {
  import OpenIndex._

  /** The segments, with the fragments that each is searched for. */
  val parts: IndexedSeq[Part] = indices.coverage(index).collect {
    case (segment, open, covered) if !damaged(segment.uuid) =>
      new Part(segment, open, covered, indices.filesOf(segment))
  }

  /** Ids of the fragments that are not searched. */
  val uncovered: RoaringBitmap = {
    val covered = new RoaringBitmap
    parts.foreach(p => covered.or(p.covered))
    RoaringBitmap.andNot(indices.mapping.present, covered)
  }

  /** Whether all partitions compare documents by rounded lengths. */
  def roundsLengths: Boolean = parts.forall(_.open.partitions.forall(_.roundsLengths))

  /** Whether a partition has a token. */
  def hasToken(token: String, failed: mutable.Set[UUID]): Boolean = parts.exists { part =>
    var isFound = false
    reading(part, failed) { isFound = part.open.partitions.exists(_.tokens.id(token) >= 0) }
    isFound
  }

  /** Runs `read`. If the files of the segment cannot be read, adds the segment to `failed`. */
  def reading(part: Part, failed: mutable.Set[UUID])(read: => Unit): Unit =
    if (indices.readable(part.segment)(read).isEmpty) failed += part.segment.uuid

  /** Returns the documents of a partition, see [[OpenIndex.Part.documents]]. */
  def documents(
      part: Part,
      partition: TextPartition,
      excluded: RoaringBitmap,
      rows: Option[AddressSet]
  ): Option[SearchedDocuments] =
    part.documents(indices.masks, indices.elementKeys, partition, excluded, rows)
}

private[text] object OpenIndex {

  /** A segment. Not thread-safe.
    *
    * @param covered ids of the fragments that the segment is searched for
    */
  final class Part(
      val segment: IndexSegment,
      val open: TextSegment,
      val covered: RoaringBitmap,
      val files: IndexFiles
  ) {
    private var last = Option.empty[(RoaringBitmap, Option[AddressSet], RowMask)]

    /** Returns the documents of a partition that a search may find, or `None` if there are none.
      *
      * @param excluded ids of fragments that are scanned instead
      * @param rows addresses of rows that may be found; `None` for all
      * @param elementKeys numbers the elements of lists
      */
    def documents(
        masks: SegmentMasks,
        elementKeys: => ElementKeys,
        partition: TextPartition,
        excluded: RoaringBitmap,
        rows: Option[AddressSet]
    ): Option[SearchedDocuments] = {
      val mask = this.mask(masks, excluded, rows)
      if (mask.isEmpty) None
      else {
        val docs = partition.documents(files)
        if (docs.hasRepeatedRows)
          throw new UnsupportedFeatureException(
            s"the full-text index ${segment.name}, which has a document for each element of a list"
          )
        val its = masks.rowsOf(files, ("text", partition.id), docs.rows)
        val isMoved = !(its eq docs.rows)
        val acceptsAll = !isMoved && mask.acceptsAll(docs.uppers)
        val numbers = Option(docs.elements).map { elements =>
          def made = elementKeys.of(its, elements)
          if (isMoved) made else files.cache(("elements", partition.id, elementKeys))(made)
        }
        Some(new SearchedDocuments(
          its,
          numbers.fold(its)(_.keys),
          if (partition.roundsLengths) docs.roundedLengths else docs.lengths,
          docs.lengths,
          numbers.fold(!isMoved && docs.isAscending)(_.isAscending),
          if (acceptsAll) RowMask.All else mask
        ))
      }
    }

    /** Returns the rows of the segment that a search may return. Partitions and columns of a search
      * share the result.
      */
    private def mask(
        masks: SegmentMasks,
        excluded: RoaringBitmap,
        rows: Option[AddressSet]
    ): RowMask = last match {
      case Some((e, r, mask)) if (e eq excluded) && (r eq rows) => mask
      case _ =>
        val mask = masks.of(files, RoaringBitmap.andNot(covered, excluded), rows)
        last = Some((excluded, rows, mask))
        mask
    }
  }
}
