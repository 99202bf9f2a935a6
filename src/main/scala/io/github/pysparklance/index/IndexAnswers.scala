// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.spi.{SegmentAnswer, ZonedSegment}
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}

/** Evaluates conditions with the scalar indices of a version of a table.
  *
  * Source: format page of indices, "From index result to rows".
  */
final class IndexAnswers(indices: ScalarIndices) {
  import indices.{mapping, table}

  /** Evaluates a condition for all fragments of the table.
    *
    * @param limit limit for the result of each segment; larger results are treated as unknown
    */
  def apply(condition: IndexCondition, limit: AnswerLimit = AnswerLimit.none): IndexAnswer =
    condition match {
      case IndexCondition.Unknown => nothing
      case IndexCondition.Null =>
        answerOf(Nil, None, new RoaringBitmap, f => FragmentAnswer.isNull(mapping.numRows(f)))
      case IndexCondition.Not(c) =>
        val inner = apply(c, limit)
        answerOf(inner.uses, inner.searched, mapping.present, inner.of(_).not)
      case IndexCondition.And(left, right) =>
        val (l, r) = (apply(left, limit), apply(right, limit))
        answerOf(
          (l.uses ++ r.uses).distinct,
          (l.searched ++ r.searched).reduceOption(RoaringBitmap.and(_, _)),
          RoaringBitmap.and(l.mayMatch, r.mayMatch),
          f => l.of(f).and(r.of(f))
        )
      case IndexCondition.Or(left, right) =>
        val (l, r) = (apply(left, limit), apply(right, limit))
        answerOf(
          (l.uses ++ r.uses).distinct,
          for (a <- l.searched; b <- r.searched) yield RoaringBitmap.and(a, b),
          RoaringBitmap.or(l.mayMatch, r.mayMatch),
          f => l.of(f).or(r.of(f))
        )
      case test: IndexCondition.Test => ask(test, limit)
    }

  private def answerOf(
      uses: Seq[IndexUse],
      searched: Option[RoaringBitmap],
      mayMatch: RoaringBitmap,
      of: Fragment => FragmentAnswer
  ): IndexAnswer = new IndexAnswer(table.fragments, uses, searched, mayMatch, of)

  private def nothing: IndexAnswer =
    answerOf(Nil, None, mapping.present, f => FragmentAnswer.unknown(mapping.numRows(f)))

  /** Searches the indices of a field. Each segment is used for the fragments for which no earlier
    * segment was used.
    */
  private def ask(test: IndexCondition.Test, limit: AnswerLimit): IndexAnswer = {
    val done = new RoaringBitmap
    val searched = new RoaringBitmap
    val found = for {
      index <- indices.of(test.fieldId)
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
    indices.readable(segment) {
      val files = indices.filesOf(segment)
      val of = indices.opened(index.kind, files)
      val covered = of match {
        case zoned: ZonedSegment => mapping.tiled(zoned, segment, wanted)
        case other => RoaringBitmap.andNot(wanted, other.undetermined(files, test.predicate))
      }
      if (covered.isEmpty || of.valueType.exists(_ != test.valueType)) None
      else if (!limit.allows(of.size(files, test.predicate))) {
        searched.or(covered)
        None
      } else
        of.answer(files, test.predicate).flatMap { answer =>
          searched.or(covered)
          of match {
            case _: ZonedSegment => Some(mapping.knownByZones(covered, answer))
            case _ =>
              Optional.when(isMappable(segment, answer))(mapping.known(segment, covered, answer))
          }
        }
    }

  private def isMappable(segment: IndexSegment, answer: SegmentAnswer): Boolean = {
    val rows = answer match {
      case exact: SegmentAnswer.Exact => exact.trues
      case SegmentAnswer.Trues(its) => its
      case SegmentAnswer.AtMost(its) => its
    }
    mapping.isMappable(segment, rows)
  }
}
