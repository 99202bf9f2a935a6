// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.Locale

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.text.analysis.TextColumn
import io.github.pysparklance.index.text.segment.{TextDetails, TextSegment}
import io.github.pysparklance.index.vector.SegmentMasks
import io.github.pysparklance.index.{RowMapping, SegmentFiles}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment

/** The full-text indices of a version of a table that this release can use. Thread-safe.
  *
  * A segment is not used if it is damaged, has an unknown version, does not record the fragments that
  * it covers, or has list elements as documents instead of rows.
  *
  * Source: format page of indices, "Inverted (full-text)" and "From index result to rows".
  *
  * @param meter counts reads of index files
  */
final class TextIndices(
    private[text] val table: LanceTable,
    meter: IndexMeter = new IndexMeter,
    cache: IndexCache = IndexCache.shared
) {
  import TextIndices._

  private[text] val mapping = new RowMapping(table)
  private[text] val masks = new SegmentMasks(table, mapping)
  private val segmentFiles = new SegmentFiles(table, meter, cache)

  /** The columns with an index, in the order of the manifest. Does not read files. */
  lazy val columns: IndexedSeq[TextColumn] =
    candidates.map(_.fields.head).distinct.flatMap(TextColumn.of(table.schema, _)).toIndexedSeq

  /** Returns the names of the indices on a field, including unusable ones. */
  def names(fieldId: Int): Seq[String] =
    all.filter(_.fields.head == fieldId).map(_.name).distinct

  private def candidates: Seq[IndexSegment] =
    all.filter { s =>
      s.bitmap.isDefined && s.indexVersion <= newestVersion &&
      !TextDetails.parse(s.details).hasListElements
    }

  private def all: Seq[IndexSegment] =
    table.indices.filter(s => !s.isSystem && s.fields.nonEmpty && isTextIndex(s))

  private def isTextIndex(segment: IndexSegment): Boolean = {
    val kind = segment.detailsType.toLowerCase(Locale.ROOT)
    kind.endsWith(detailsType) || kind.isEmpty && TextColumn.of(
      table.schema,
      segment.fields.head
    ).isDefined && {
      // Early releases did not record the type.
      val names = filesOf(segment).names
      names(TextSegment.metadataFile) || names("invert.lance")
    }
  }

  /** Returns the first usable index on a field. */
  def find(fieldId: Int): Option[TextIndex] = {
    val ofField = candidates.filter(_.fields.head == fieldId)
    ofField.map(_.name).distinct.iterator
      .flatMap(name => open(ofField.filter(_.name == name), fieldId)).buffered.headOption
  }

  /** Opens the segments of an index. Skips unreadable segments, with a warning, and segments whose
    * analyzer differs from the first one.
    */
  private def open(segments: Seq[IndexSegment], fieldId: Int): Option[TextIndex] =
    TextColumn.of(table.schema, fieldId).flatMap { column =>
      val opened = segments.flatMap { s =>
        segmentFiles.readable(s)(TextSegment.cached(filesOf(s))).map(s -> _)
      }.toIndexedSeq
      opened.headOption.map { case (first, segment) =>
        new TextIndex(
          first.name,
          column,
          segment.parameters,
          opened.filter(_._2.parameters == segment.parameters)
        )
      }
    }

  /** Returns the files of a segment. */
  private[text] def filesOf(segment: IndexSegment): IndexFiles = segmentFiles.of(segment)

  /** Runs a search of a segment.
    *
    * @return `None` if its files cannot be read, after a warning
    */
  private[text] def readable[A](segment: IndexSegment)(read: => A): Option[A] =
    segmentFiles.readable(segment)(read)

  /** Returns the segments of an index, with the disjoint sets of fragments that they are searched for. */
  private[text] def coverage(
      index: TextIndex
  ): IndexedSeq[(IndexSegment, TextSegment, RoaringBitmap)] = {
    val done = new RoaringBitmap
    index.segments.map { case (segment, open) =>
      val covered = RoaringBitmap.andNot(
        RoaringBitmap.andNot(mapping.covered(segment), open.deletedFragments),
        done
      )
      done.or(covered)
      (segment, open, covered)
    }
  }
}

private object TextIndices {

  /** The name of the details message, in lower case. */
  private val detailsType = "invertedindexdetails"

  /** The latest supported `index_version`. */
  private val newestVersion = 3
}
