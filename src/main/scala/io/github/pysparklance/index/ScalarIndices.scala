// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.io.{IOException, InterruptedIOException}
import java.util.Locale

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.index.scalar._
import io.github.pysparklance.index.spi._
import io.github.pysparklance.storage.MeteredStore
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment

/** The scalar indices of a version of a table that this release can use.
  *
  * A segment answers for the fragments that it covers and that the version still has. All others are unknown, as are those
  * of segments that are damaged, of a kind or version that is not known, or that do not say what they cover.
  *
  * Source: format page of indices, "From index result to rows".
  *
  * @param meter counts what is read
  */
final class ScalarIndices(
    private[index] val table: LanceTable,
    meter: IndexMeter = new IndexMeter,
    cache: IndexCache = IndexCache.shared
) {
  import ScalarIndices._

  private[index] lazy val mapping = new RowMapping(table)
  private val store = new MeteredStore(table.store, meter.reads)

  /** In the order in which they are asked: those first that answer exactly. */
  val indices: IndexedSeq[ScalarIndex] = table.indices
    .filterNot(s => s.isSystem || s.bitmap.isEmpty || s.fields.length != 1)
    .flatMap(s => usable(s).map(_ -> s))
    .groupBy { case (kind, s) => (kind, s.name, s.fields.head) }
    .iterator
    .map { case ((kind, name, field), its) => ScalarIndex(name, kind, field, its.map(_._2)) }
    .toIndexedSeq
    .sortBy(i => (kinds.indexOf(i.kind), i.name))

  /** The indices on a field, in the same order. */
  def of(fieldId: Int): IndexedSeq[ScalarIndex] = indices.filter(_.fieldId == fieldId)

  /** The segments of an index with the fragments for which each is used, if these are all fragments of the table. A
    * fragment that several segments cover goes to the first.
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

  /** Ids of the fragments of this version that a segment covers and that it can answer for. */
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

  /** The value that all rows of a fragment have in a field, by the id of the fragment, where a zone map proves that there
    * is one. Zones may leave out the values of deleted rows.
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

  /** The files of a segment. */
  def filesOf(segment: IndexSegment): IndexFiles = new IndexFiles(
    store,
    table.indexFolder(segment),
    segment.details,
    segment.indexVersion,
    segment.fileSizes,
    (cache, meter)
  )

  /** What of a segment goes into another one that is to cover the same fragments.
    *
    * @param coverage of it, see [[covered]]
    */
  def source(segment: IndexSegment, coverage: RoaringBitmap): SegmentSource = SegmentSource(
    ScalarIndices.files(table, segment),
    mapping.transfer(segment, coverage)
  )

  /** Loads what an index keeps in memory, and pages of it as far as they fit into the cache.
    *
    * @return none if there is no such index
    */
  def prewarm(name: String): Option[ScalarIndex] = {
    val found = indices.find(_.name == name)
    found.foreach(index =>
      index.segments.foreach { segment =>
        val files = filesOf(segment)
        opened(index.kind, files).prewarm(files)
      }
    )
    found
  }

  /** None, with a warning, if files of the segment cannot be read. */
  private[index] def readable[A](segment: IndexSegment)(read: => Option[A]): Option[A] =
    try read
    catch {
      case e: InterruptedIOException => throw e
      case e @ (_: LanceException | _: IOException) =>
        log.warn(
          s"the index ${segment.name} of ${table.path} is not used, as its segment ${segment.uuid} cannot be read: " +
            e.getMessage,
          e
        )
        None
    }

  private[index] def opened(kind: ScalarIndexKind, files: IndexFiles): ScalarSegment =
    files.cache("segment")(kind.open(files))
}

object ScalarIndices {
  private val log = Log(getClass)

  /** The kind of a segment that this release can use, also for changes; none for other segments. */
  private[index] def usable(segment: IndexSegment): Option[ScalarIndexKind] =
    kindOf(segment).filter(segment.indexVersion <= _.newestVersion)

  /** The folder of a segment. */
  private[index] def files(table: LanceTable, segment: IndexSegment): IndexFiles = new IndexFiles(
    table.store,
    table.indexFolder(segment),
    segment.details,
    segment.indexVersion,
    segment.fileSizes
  )

  /** All kinds that are built, those that answer exactly first. */
  val kinds: IndexedSeq[ScalarIndexKind] =
    IndexedSeq(BTree, Bitmap, LabelList, NGram, ZoneMap, BloomFilter)

  /** The kind of a segment; none when it is not known. */
  def kindOf(segment: IndexSegment): Option[ScalarIndexKind] = {
    val found = segment.detailsType.stripPrefix("/").toLowerCase(Locale.ROOT)
    kinds.find(_.detailsType.toLowerCase(Locale.ROOT) == found)
  }
}

/** A scalar index of a table.
  *
  * @param fieldId of its column
  */
final case class ScalarIndex(
    name: String,
    kind: ScalarIndexKind,
    fieldId: Int,
    segments: Seq[IndexSegment]
)
