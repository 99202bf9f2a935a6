// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.index.cache.{IndexCache, IndexMeter}
import io.github.pysparklance.index.json.JsonIndexKind
import io.github.pysparklance.index.scalar._
import io.github.pysparklance.index.spi._
import io.github.pysparklance.index.text.build.Inverted
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment

/** The scalar indices of a version of a table that this release can use.
  *
  * A segment is used for the fragments that it covers and that the version still has. A segment is
  * ignored if it is damaged, has an unknown kind or version, or does not record which fragments it
  * covers.
  *
  * Source: format page of indices, "From index result to rows".
  *
  * @param meter counts reads and cache hits
  */
final class ScalarIndices(
    private[index] val table: LanceTable,
    meter: IndexMeter = new IndexMeter,
    cache: IndexCache = IndexCache.shared
) {
  import ScalarIndices._

  private[index] lazy val mapping = new RowMapping(table, recordedExactness(_), withEntries(_, _))
  private val files = new SegmentFiles(table, meter, cache)

  /** In the order of use: kinds with exact results first. */
  val indices: IndexedSeq[ScalarIndex] = table.indices
    .filterNot(s => s.isSystem || s.bitmap.isEmpty)
    .flatMap(s => usable(table, s).map(_ -> s))
    .groupBy { case (kind, s) => (kind, s.name, s.fields.head) }
    .iterator
    .map { case ((kind, name, field), its) => ScalarIndex(name, kind, field, its.map(_._2)) }
    .toIndexedSeq
    .sortBy(i => (rankOf(i.kind), i.name))

  /** Returns the indices on the values of a field, in the same order. */
  def of(fieldId: Int): IndexedSeq[ScalarIndex] = indices.filter { index =>
    index.fieldId == fieldId && !index.kind.isInstanceOf[JsonIndexKind]
  }

  /** Returns the indices on the values of a test, in the same order. */
  private[index] def of(test: IndexCondition.Test): IndexedSeq[ScalarIndex] =
    if (test.member.isEmpty) of(test.fieldId)
    else
      indices.filter { index =>
        index.fieldId == test.fieldId && (index.kind match {
          case json: JsonIndexKind => json.member == test.member
          case _ => false
        })
      }

  /** Returns the segments of an index, each with the fragments for which it is used. Returns `None`
    * if they do not cover all fragments of the table. If several segments cover a fragment, the
    * first one is used.
    */
  private[index] def complete(
      index: ScalarIndex
  ): Option[Seq[(IndexSegment, RoaringBitmap)]] = {
    val done = new RoaringBitmap
    val parts = index.segments.flatMap { segment =>
      val covered = RoaringBitmap.andNot(mapping.covered(segment), done)
      done.or(covered)
      Optional.unless(covered.isEmpty)(segment -> covered)
    }
    Optional.when(parts.nonEmpty && done == mapping.present)(parts)
  }

  /** Returns the ids of the fragments that a segment covers and for which it can be used. */
  def covered(kind: ScalarIndexKind, segment: IndexSegment): RoaringBitmap = {
    val named = mapping.covered(segment)
    if (!kind.isByAddress || named.isEmpty) named
    else {
      opened(kind, filesOf(segment)) match {
        case zoned: ZonedSegment => mapping.tiled(zoned, segment, named)
        case _ => named
      }
    }
  }

  /** Returns the ids of the fragments for which a segment is used: none if it cannot be read. */
  def usedFor(kind: ScalarIndexKind, segment: IndexSegment): RoaringBitmap =
    readable(segment)(Some(covered(kind, segment))).getOrElse(new RoaringBitmap)

  /** Opens the files of an index that a request names.
    *
    * @throws CorruptFileException if one of them is damaged or missing
    */
  def checkReadable(named: Seq[IndexSegment]): Unit =
    for (segment <- named; kind <- usable(table, segment))
      ofNamed(segment) {
        val files = filesOf(segment)
        opened(kind, files): Unit
        if (kind != Inverted) files.names.foreach(files.use(_)(_ => ()))
      }

  /** Reads a segment of an index that a request names. Adds to errors what to do. */
  private def ofNamed[A](segment: IndexSegment)(read: => A): A =
    try read
    catch {
      case e @ (_: CorruptFileException | _: NotFoundException) =>
        throw new CorruptFileException(
          s"the index ${segment.name} is damaged; create it again with CREATE OR REPLACE INDEX: ${e.getMessage}",
          Place(path = Some(table.path)),
          e
        )
    }

  /** Whether a segment certainly has no outdated entries for rows of fragments that it covers, so
    * that a merge with other such segments can be recorded as exact.
    */
  def canRecordExact(segment: IndexSegment, of: RoaringBitmap): Boolean =
    mapping.canRecordExact(segment, of)

  /** Whether a segment covers fragments that may have updated rows, see
    * [[UpdatedFragments.mayBeUpdated]].
    */
  def mayBeUpdated(segment: IndexSegment, of: RoaringBitmap): Boolean =
    !mapping.withUpdates(segment, of).isEmpty

  /** Returns the record of exactness in the files of a segment, see [[UpdatedFragments]]. */
  private def recordedExactness(segment: IndexSegment): Option[Boolean] =
    usable(table, segment).filter(recording.contains(_)).flatMap { kind =>
      readable(segment)(opened(kind, filesOf(segment)).exactSegment).flatMap {
        case NewSegment.notExact => Some(false)
        case id => Optional.when(id == segment.uuid.toString)(true)
      }
    }

  /** Returns the fragments for which a BTREE has entries, or none if its files cannot be read. */
  private def withEntries(segment: IndexSegment, among: RoaringBitmap): RoaringBitmap =
    usable(table, segment).flatMap { kind =>
      readable(segment) {
        val files = filesOf(segment)
        Some(opened(kind, files).withEntries(files, among))
      }
    }.getOrElse(new RoaringBitmap)

  /** Returns the fragments whose rows all have the same value in a field, as proved by a zone map.
    * The keys are fragment ids. Zones may omit the values of deleted rows.
    */
  def constants(field: Field): Map[Long, Key] =
    of(field.id).filter(_.kind == ZoneMap).flatMap(_.segments).flatMap {
      segment =>
        readable(segment) {
          opened(ZoneMap, filesOf(segment)) match {
            case zoned: ZonedSegment if zoned.valueType.contains(field.logicalType) =>
              val covered = mapping.tiled(zoned, segment, mapping.covered(segment))
              Some(zoned.constants.filter { case (id, _) => covered.contains(id.toInt) })
            case _ => None
          }
        }.getOrElse(Map.empty)
    }.toMap

  /** Returns the kind of a segment, or `None` if this release cannot write segments like it. */
  def kindOf(segment: IndexSegment): Option[ScalarIndexKind] =
    ScalarIndices.kindOf(table, segment)
      .filter(_.isWritable(filesOf(segment), ScalarIndices.wayOf(table, segment)))

  /** Returns the files of a segment. */
  def filesOf(segment: IndexSegment): IndexFiles = files.of(segment)

  /** Returns a segment as the source of a merge into a segment that covers the same fragments.
    *
    * @param coverage fragments that it covers, see [[covered]]
    */
  def source(segment: IndexSegment, coverage: RoaringBitmap): SegmentSource = SegmentSource(
    SegmentFiles.uncached(table, segment),
    mapping.transfer(segment, coverage)
  )

  /** Loads the in-memory part of an index, and as many of its pages as fit into the cache.
    *
    * @return the index, or `None` if it does not exist
    * @throws CorruptFileException if a file is damaged or missing
    */
  def prewarm(name: String): Option[ScalarIndex] = {
    val found = indices.find(_.name == name)
    found.foreach { index =>
      index.segments.foreach { segment =>
        val files = filesOf(segment)
        ofNamed(segment)(opened(index.kind, files).prewarm(files))
      }
    }
    found
  }

  /** Returns `None` and logs a warning if the files of the segment cannot be read. */
  private[index] def readable[A](segment: IndexSegment)(read: => Option[A]): Option[A] =
    files.readable(segment)(read).flatten

  private[index] def opened(kind: ScalarIndexKind, files: IndexFiles): ScalarSegment =
    files.cache("segment")(kind.open(files))
}

/** The kinds of scalar indices, and helpers for their segments. */
object ScalarIndices {

  /** Returns the kind of a segment that this release can read and rewrite, or `None` for other
    * segments.
    */
  def usable(table: LanceTable, segment: IndexSegment): Option[ScalarIndexKind] =
    kindOf(table, segment)
      .filter(segment.indexVersion <= _.latestVersion && segment.fields.length == 1)

  /** All supported kinds, those with exact results first. */
  val kinds: IndexedSeq[ScalarIndexKind] =
    IndexedSeq(BTree, Bitmap, LabelList, NGram, ZoneMap, BloomFilter, Inverted)

  private def rankOf(kind: ScalarIndexKind): Int = kinds.indexOf(kind match {
    case json: JsonIndexKind => json.target
    case other => other
  })

  /** Returns the covered fragments whose entries the files of a segment mark as outdated. Fragments
    * that replace them would be covered without this mark.
    */
  def ignoredFragments(table: LanceTable, segment: IndexSegment): RoaringBitmap = {
    val ignored = usable(table, segment).flatMap { kind =>
      SegmentFiles.readable(table, segment)(
        kind.ignoredFragments(SegmentFiles.uncached(table, segment))
      )
    }.getOrElse(new RoaringBitmap)
    segment.bitmap.fold(ignored)(RoaringBitmap.and(_, ignored))
  }

  /** Kinds whose files record that a segment has no outdated entries. */
  private val recording = Set[ScalarIndexKind](BTree, Bitmap, LabelList)

  /** Returns the kind of a segment, or `None` if it is unknown. */
  def kindOf(table: LanceTable, segment: IndexSegment): Option[ScalarIndexKind] =
    if (ScalarIndexKind.haveSameMessage(segment.detailsType, JsonIndexKind.detailsType))
      // Whether a BTREE of a JSON path has row ids or addresses is not recorded.
      JsonIndexKind.of(segment.details).filterNot(table.hasStableRowIds && _.target == BTree)
    else kindOf(segment.detailsType).filter(_.isKnown(segment.details, wayOf(table, segment)))

  /** Returns the path to the field of a segment; empty if the table has it no more. */
  private[index] def wayOf(table: LanceTable, segment: IndexSegment): IndexedSeq[Field] =
    segment.fields.headOption.flatMap(table.schema.way(_)).getOrElse(IndexedSeq.empty)

  private[index] def kindOf(detailsType: String): Option[ScalarIndexKind] =
    kinds.find(kind => ScalarIndexKind.haveSameMessage(kind.detailsType, detailsType))
}

/** A scalar index of a table.
  *
  * @param fieldId id of the indexed field
  */
final case class ScalarIndex(
    name: String,
    kind: ScalarIndexKind,
    fieldId: Int,
    segments: Seq[IndexSegment]
)
