// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import java.io.{IOException, InterruptedIOException}
import java.util.Locale

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core._
import io.github.pysparklance.index.scalar._
import io.github.pysparklance.index.spi._
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.manifest.IndexSegment

/** The scalar indices of a version of a table that this release can use.
  *
  * A segment answers for the fragments that it covers and that the version still has. All others are unknown, as are those
  * of segments that are damaged, of a kind or version that is not known, or that do not say what they cover.
  *
  * Source: format page of indices, "From index result to rows".
  */
final class ScalarIndices(table: LanceTable, cache: IndexCache = IndexCache.shared) {
  import ScalarIndices._

  private lazy val mapping = new RowMapping(table)

  /** In the order in which they are asked: those first that answer exactly. */
  val indices: IndexedSeq[ScalarIndex] = table.indices
    .filterNot(s => s.isSystem || s.bitmap.isEmpty || s.fields.length != 1)
    .flatMap(s => usable(s).map(_ -> s))
    .groupBy { case (kind, s) => (kind, s.name, s.fields.head) }
    .iterator
    .map { case ((kind, name, field), its) => ScalarIndex(name, kind, field, its.map(_._2)) }
    .toIndexedSeq
    .sortBy(i => (kinds.indexOf(i.kind), i.name))

  /** What is known of a condition for each fragment of the table, and the indices that know it. */
  def answer(condition: IndexCondition): IndexAnswer = condition match {
    case IndexCondition.Unknown => nothing
    case IndexCondition.Null => nothing.copy(fragments = mapping.numRows.map(FragmentAnswer.isNull))
    case IndexCondition.Not(c) =>
      val inner = answer(c)
      inner.copy(fragments = inner.fragments.map(_.not))
    case IndexCondition.And(left, right) => combined(left, right)(_ and _)
    case IndexCondition.Or(left, right) => combined(left, right)(_ or _)
    case test: IndexCondition.Test =>
      indices.filter(_.fieldId == test.fieldId).foldLeft(nothing)(ask(test))
  }

  /** Ids of the fragments of this version that a segment covers and that it can answer for. */
  def covered(kind: ScalarIndexKind, segment: IndexSegment): RoaringBitmap = {
    val named = mapping.covered(segment)
    if (!kind.isByAddress || named.isEmpty) named
    else {
      val files = ScalarIndices.files(table, segment)
      cache.get(files.path)(kind.open(files)) match {
        case zoned: ZonedSegment => mapping.tiled(zoned, segment, named)
        case _ => named
      }
    }
  }

  /** The files of a segment. */
  def filesOf(segment: IndexSegment): IndexFiles = ScalarIndices.files(table, segment)

  /** What of a segment goes into another one that is to cover the same fragments.
    *
    * @param coverage of it, see [[covered]]
    */
  def source(segment: IndexSegment, coverage: RoaringBitmap): SegmentSource = SegmentSource(
    ScalarIndices.files(table, segment),
    mapping.transfer(segment, coverage)
  )

  private def combined(left: IndexCondition, right: IndexCondition)(
      join: (FragmentAnswer, FragmentAnswer) => FragmentAnswer
  ): IndexAnswer = {
    val (l, r) = (answer(left), answer(right))
    IndexAnswer(l.fragments.zip(r.fragments).map(join.tupled), (l.uses ++ r.uses).distinct)
  }

  private def nothing: IndexAnswer = IndexAnswer(mapping.numRows.map(FragmentAnswer.unknown), Nil)

  /** Asks an index for the fragments that those before it did not answer for. */
  private def ask(test: IndexCondition.Test)(
      known: IndexAnswer,
      index: ScalarIndex
  ): IndexAnswer = {
    val answered =
      known.uses.iterator.map(_.fragments).foldLeft(new RoaringBitmap)(RoaringBitmap.or(_, _))
    index.segments.foldLeft((known, answered)) { case ((so, done), segment) =>
      val open = RoaringBitmap.andNot(mapping.covered(segment), done)
      if (open.isEmpty) (so, done)
      else
        ask(test, index, segment, open) match {
          case None => (so, done)
          case Some((fragments, answers)) =>
            val next = so.fragments.zipWithIndex.map { case (before, i) =>
              answers.getOrElse(i, before)
            }
            (
              IndexAnswer(next, so.uses :+ IndexUse(index.name, index.kind.name, fragments)),
              RoaringBitmap.or(done, fragments)
            )
        }
    }._1
  }

  /** The answers of a segment by the position of the fragment, with the fragments that it answers for. */
  private def ask(
      test: IndexCondition.Test,
      index: ScalarIndex,
      segment: IndexSegment,
      wanted: RoaringBitmap
  ): Option[(RoaringBitmap, Map[Int, FragmentAnswer])] =
    try {
      val files = ScalarIndices.files(table, segment)
      val opened = cache.get(files.path)(index.kind.open(files))
      val covered = opened match {
        case zoned: ZonedSegment => mapping.tiled(zoned, segment, wanted)
        case _ => wanted
      }
      if (covered.isEmpty || opened.valueType.exists(_ != test.valueType)) None
      else
        opened.answer(files, test.predicate).map { answer =>
          (covered, mapping.byFragment(segment, covered, answer))
        }
    } catch {
      case e: InterruptedIOException => throw e
      case e @ (_: LanceException | _: IOException) =>
        log.warn(
          s"the index ${index.name} of ${table.path} is not used, as its segment ${segment.uuid} cannot be read: " +
            e.getMessage,
          e
        )
        None
    }
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

/** What indices know of a condition.
  *
  * @param fragments one answer for each fragment of the table
  * @param uses the segments that answered
  */
final case class IndexAnswer(fragments: IndexedSeq[FragmentAnswer], uses: Seq[IndexUse])

/** A segment that answered.
  *
  * @param index its name
  * @param kind of the index, such as `BTREE`
  * @param fragments ids of those that it answered for
  */
final case class IndexUse(index: String, kind: String, fragments: RoaringBitmap)
