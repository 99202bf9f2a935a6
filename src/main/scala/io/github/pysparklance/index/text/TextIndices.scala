// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.text

import java.util.Locale

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{InvalidRequestException, Log}
import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.index.spi.IndexFiles
import io.github.pysparklance.index.text.analysis.{AnalyzerParameters, Granularity, TextColumn}
import io.github.pysparklance.index.text.segment.{TextDetails, TextSegment}
import io.github.pysparklance.index.vector.SegmentMasks
import io.github.pysparklance.index.{RowMapping, SegmentFiles}
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment

/** The full-text indices of a version of a table that this release can use. Thread-safe.
  *
  * A segment is not used if it is damaged, has an unknown version or unknown documents, or does not
  * record the fragments that it covers. Strings that other writers index as JSON documents are not
  * supported.
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
  private[text] lazy val elementKeys: ElementKeys = ElementKeys(table)
  private val segmentFiles = new SegmentFiles(table, meter, cache)

  /** The columns with an index of rows, in the order of the manifest. As in pylance, columns with
    * an index of list elements are searched by name only. Does not read files.
    */
  lazy val columns: IndexedSeq[TextColumn] =
    candidates.filter(_._2 == Granularity.Row).map(_._1.fields.head).distinct
      .flatMap(TextColumn.of(table.schema, _)).toIndexedSeq

  private def candidates: Seq[(IndexSegment, Granularity)] = for {
    segment <- all
    if segment.bitmap.isDefined && segment.indexVersion <= latestVersion
    granularity <- TextDetails.parse(segment.details).granularity
  } yield segment -> granularity

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

  /** Returns the first usable index of a column.
    *
    * @param wanted granularity of the documents; `None` for the granularity of the column's indices
    * @throws InvalidRequestException if the indices of the column have another granularity, or both
    */
  def find(column: TextColumn, wanted: Option[Granularity]): Option[TextIndex] = {
    val fieldId = column.field.id
    val ofField = candidates.filter(_._1.fields.head == fieldId)
    val chosen = granularity(column, wanted, ofField)
    val segments = ofField.collect { case (segment, g) if chosen.contains(g) => segment }
    segments.map(_.name).distinct.iterator
      .flatMap(name => open(segments.filter(_.name == name), fieldId)).buffered.headOption
  }

  private def granularity(
      column: TextColumn,
      wanted: Option[Granularity],
      ofField: Seq[(IndexSegment, Granularity)]
  ): Option[Granularity] = {
    val known = ofField.map { case (segment, g) => segment.name -> g }.distinct
    def shown = known.map { case (name, g) => s"$name of ${g.documents}" }.mkString(", ")
    wanted match {
      case Some(g) if g == Granularity.ListElement && !column.isList =>
        throw new InvalidRequestException(
          s"${Granularity.option} is $g, but column ${column.name} has no lists"
        )
      case Some(g) if known.nonEmpty && !known.exists(_._2 == g) =>
        throw new InvalidRequestException(
          s"the query searches ${g.documents} of column ${column.name}, which has the full-text index $shown: " +
            s"use the ${Granularity.option} of the index, or create another index"
        )
      case None if known.map(_._2).distinct.length > 1 =>
        throw new InvalidRequestException(
          s"column ${column.name} has full-text indices of rows and of list elements ($shown): " +
            s"select one with ${Granularity.option}"
        )
      case other => other.orElse(known.headOption.map(_._2))
    }
  }

  /** Returns the parameters of the analyzer of a column: of its index; if the index is not usable,
    * the parameters in its metadata, or in the manifest, which lacks custom stop words; otherwise
    * the default.
    *
    * @param index result of [[find]]
    */
  def parametersOf(
      column: TextColumn,
      wanted: Option[Granularity],
      index: Option[TextIndex]
  ): AnalyzerParameters = index.fold {
    val unusable = all.filter(_.fields.head == column.field.id)
    val recorded = unusable.iterator.flatMap { s =>
      // The manifest does not record whether documents are JSON.
      readable(s)(TextSegment.parametersOf(filesOf(s)))
        .orElse(TextDetails.parse(s.details).analyzer.map(_.copy(isJson = column.isJson)))
    }.find { p =>
      wanted.forall(_ == p.granularity) && (column.isList || !p.hasElements) &&
      (column.isJson || !p.isJson)
    }
    unusable.headOption.foreach { segment =>
      log.warn(
        s"the full-text index ${segment.name} of column ${column.name} of ${table.path} is not used: the texts " +
          s"are read, and split by ${if (recorded.isDefined) "the recorded" else "the default"} analyzer"
      )
    }
    recorded.getOrElse(
      column.defaultParameters.copy(granularity = wanted.getOrElse(Granularity.Row))
    )
  }(_.parameters)

  /** Opens the segments of an index. Skips unreadable segments, with a warning, and segments whose
    * analyzer differs from the first one.
    */
  private def open(segments: Seq[IndexSegment], fieldId: Int): Option[TextIndex] =
    TextColumn.of(table.schema, fieldId).flatMap { column =>
      val opened = segments.flatMap { s =>
        segmentFiles.readable(s)(TextSegment.cached(filesOf(s))).map(s -> _)
      }.filter { case (_, s) => column.isJson || !s.parameters.isJson }.toIndexedSeq
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

  /** Returns the segments of an index, with the disjoint sets of fragments that they are searched
    * for. Releases of pylance before 9 keep the documents of updated rows when they merge segments.
    * Fragments for which a segment may have such documents are not searched by index.
    */
  private[text] def coverage(
      index: TextIndex
  ): IndexedSeq[(IndexSegment, TextSegment, RoaringBitmap)] = {
    val done = new RoaringBitmap
    index.segments.map { case (segment, open) =>
      val named = RoaringBitmap.andNot(
        RoaringBitmap.andNot(mapping.covered(segment), open.deletedFragments),
        done
      )
      val updated = mapping.withUpdates(segment, named)
      val covered =
        if (updated.isEmpty || hasEachRowOnce(segment, open)) named
        else RoaringBitmap.andNot(named, updated)
      done.or(covered)
      (segment, open, covered)
    }
  }

  private def hasEachRowOnce(segment: IndexSegment, open: TextSegment): Boolean =
    readable(segment)(open.hasEachRowOnce(filesOf(segment))).contains(true)
}

private object TextIndices {
  private val log = Log(classOf[TextIndices])

  /** The name of the details message, in lower case. */
  private val detailsType = "invertedindexdetails"

  /** The latest supported `index_version`. */
  private val latestVersion = 3
}
