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
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}

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
    table: LanceTable,
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

  /** What is known of a condition for each fragment of the table, and the indices that know it.
    *
    * @param limit of the answers that are made; larger ones are unknown
    */
  def answer(condition: IndexCondition, limit: AnswerLimit = AnswerLimit.none): IndexAnswer =
    condition match {
      case IndexCondition.Unknown => nothing
      case IndexCondition.Null =>
        answerOf(Nil, None, new RoaringBitmap, f => FragmentAnswer.isNull(mapping.numRows(f)))
      case IndexCondition.Not(c) =>
        val inner = answer(c, limit)
        answerOf(inner.uses, inner.searched, mapping.present, inner.of(_).not)
      case IndexCondition.And(left, right) =>
        val (l, r) = (answer(left, limit), answer(right, limit))
        answerOf(
          (l.uses ++ r.uses).distinct,
          (l.searched ++ r.searched).reduceOption(RoaringBitmap.and(_, _)),
          RoaringBitmap.and(l.mayMatch, r.mayMatch),
          f => l.of(f).and(r.of(f))
        )
      case IndexCondition.Or(left, right) =>
        val (l, r) = (answer(left, limit), answer(right, limit))
        answerOf(
          (l.uses ++ r.uses).distinct,
          for (a <- l.searched; b <- r.searched) yield RoaringBitmap.and(a, b),
          RoaringBitmap.or(l.mayMatch, r.mayMatch),
          f => l.of(f).or(r.of(f))
        )
      case test: IndexCondition.Test => ask(test, limit)
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
    indices.filter(i => i.kind == ZoneMap && i.fieldId == field.id).flatMap(_.segments).flatMap {
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

  /** Rows of each segment that come first by the values of a field, as many as are asked for or all: the first rows of the
    * table are among them.
    *
    * @return addresses of live rows, and the segments; none if no index with such an order covers the table
    */
  def first(
      fieldId: Int,
      valueType: LogicalType,
      isAscending: Boolean,
      nullsFirst: Boolean,
      limit: Int
  ): Option[(IndexedSeq[Long], Seq[IndexUse])] = {
    val ofField = indices.filter(i => i.fieldId == fieldId && i.kind == BTree)
    ofField.flatMap { index =>
      val done = new RoaringBitmap
      val parts = index.segments.flatMap { segment =>
        val covered = RoaringBitmap.andNot(mapping.covered(segment), done)
        done.or(covered)
        Optional.unless(covered.isEmpty)(segment -> covered)
      }
      if (parts.isEmpty || done != mapping.present) None
      else {
        val found = parts.map { case (segment, covered) =>
          val files = filesOf(segment)
          opened(index.kind, files) match {
            case ordered: OrderedSegment if ordered.valueType.contains(valueType) =>
              val rows = ordered.rows(files, isAscending, nullsFirst)
              Some(mapping.firstLive(segment, covered, rows, limit))
            case _ => None
          }
        }
        Optional.when(found.forall(_.isDefined)) {
          val uses = parts.map { case (_, its) => IndexUse(index.name, index.kind.name, its) }
          (found.flatten.flatten.toIndexedSeq, uses)
        }
      }
    }.headOption
  }

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

  private def answerOf(
      uses: Seq[IndexUse],
      searched: Option[RoaringBitmap],
      mayMatch: RoaringBitmap,
      of: Fragment => FragmentAnswer
  ): IndexAnswer = new IndexAnswer(table.fragments, uses, searched, mayMatch, of)

  private def nothing: IndexAnswer =
    answerOf(Nil, None, mapping.present, f => FragmentAnswer.unknown(mapping.numRows(f)))

  /** Asks the indices of a field, each segment for the fragments that those before it did not answer for. */
  private def ask(test: IndexCondition.Test, limit: AnswerLimit): IndexAnswer = {
    val done = new RoaringBitmap
    val searched = new RoaringBitmap
    val found = for {
      index <- indices.filter(_.fieldId == test.fieldId)
      segment <- index.segments
      open = RoaringBitmap.andNot(mapping.covered(segment), done)
      if !open.isEmpty
      known <- ask(test, index, segment, open, limit, searched)
    } yield {
      done.or(known.covered)
      IndexUse(index.name, index.kind.name, known.covered) -> known
    }
    val named = Optional.unless(searched.isEmpty)(searched)
    if (found.isEmpty)
      answerOf(Nil, named, mapping.present, f => FragmentAnswer.unknown(mapping.numRows(f)))
    else {
      val mayMatch = RoaringBitmap.andNot(mapping.present, done)
      found.foreach { case (_, known) => mayMatch.or(known.mayMatch) }
      answerOf(
        found.map(_._1),
        named,
        mayMatch,
        f =>
          found.find(_._2.covered.contains(f.id.toInt))
            .fold(FragmentAnswer.unknown(mapping.numRows(f)))(_._2.of(f))
      )
    }
  }

  private def ask(
      test: IndexCondition.Test,
      index: ScalarIndex,
      segment: IndexSegment,
      wanted: RoaringBitmap,
      limit: AnswerLimit,
      searched: RoaringBitmap
  ): Option[KnownFragments] =
    readable(segment) {
      val files = filesOf(segment)
      val of = opened(index.kind, files)
      val covered = of match {
        case zoned: ZonedSegment => mapping.tiled(zoned, segment, wanted)
        case _ => wanted
      }
      if (covered.isEmpty || of.valueType.exists(_ != test.valueType)) None
      else if (!limit.allows(of.size(files, test.predicate))) {
        searched.or(covered)
        None
      } else
        of.answer(files, test.predicate).map { answer =>
          searched.or(covered)
          mapping.known(segment, covered, answer)
        }
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

  private def opened(kind: ScalarIndexKind, files: IndexFiles): ScalarSegment =
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

/** What indices know of a condition. Fragments without a matching row cost nothing.
  *
  * @param uses the segments that answered
  * @param searched ids of the fragments that indices for all its parts cover, or those for the parts of an `AND` that have
  *   any; none if that leaves a part without an index
  * @param mayMatch ids of the fragments that may have a row for which the condition is true; not to be changed
  * @param of what is known of a fragment of the table; computed anew by each call
  */
final class IndexAnswer private[index] (
    all: IndexedSeq[Fragment],
    val uses: Seq[IndexUse],
    val searched: Option[RoaringBitmap],
    val mayMatch: RoaringBitmap,
    val of: Fragment => FragmentAnswer
) {

  private lazy val covered =
    uses.iterator.map(_.fragments).foldLeft(new RoaringBitmap)(RoaringBitmap.or(_, _))

  /** Whether one of the segments covers a fragment. */
  def covers(fragment: Fragment): Boolean = covered.contains(fragment.id.toInt)

  /** One answer for each fragment of the table. */
  lazy val fragments: IndexedSeq[FragmentAnswer] = all.map(of)
}

/** Which answers are worth their work. */
trait AnswerLimit {
  def allows(size: AnswerSize): Boolean
}

object AnswerLimit {

  /** All of them. */
  val none: AnswerLimit = _ => true
}

/** A segment that answered.
  *
  * @param index its name
  * @param kind of the index, such as `BTREE`
  * @param fragments ids of those that it answered for
  */
final case class IndexUse(index: String, kind: String, fragments: RoaringBitmap)
