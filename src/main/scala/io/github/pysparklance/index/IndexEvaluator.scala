// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.spi.{SegmentResult, ZonedSegment}
import io.github.pysparklance.table.manifest.{Fragment, IndexSegment}

/** Evaluates conditions with the scalar indices of a version of a table.
  *
  * Source: format page of indices, "From index result to rows".
  */
final class IndexEvaluator(indices: ScalarIndices) {
  import indices.{mapping, table}

  /** Evaluates a condition for all fragments of the table.
    *
    * @param limit limit for the result of each segment; larger results are treated as unknown
    */
  def apply(condition: IndexCondition, limit: ResultLimit = ResultLimit.none): IndexResult =
    condition match {
      case IndexCondition.Unknown => nothing
      case IndexCondition.Null =>
        resultOf(Nil, None, new RoaringBitmap, f => FragmentResult.isNull(mapping.numRows(f)))
      case IndexCondition.Not(c) =>
        val inner = apply(c, limit)
        resultOf(inner.uses, inner.searched, mapping.present, inner.of(_).not)
      case IndexCondition.And(left, right) =>
        val (l, r) = (apply(left, limit), apply(right, limit))
        resultOf(
          (l.uses ++ r.uses).distinct,
          (l.searched ++ r.searched).reduceOption(RoaringBitmap.and(_, _)),
          RoaringBitmap.and(l.mayMatch, r.mayMatch),
          f => l.of(f).and(r.of(f))
        )
      case IndexCondition.Or(left, right) =>
        val (l, r) = (apply(left, limit), apply(right, limit))
        resultOf(
          (l.uses ++ r.uses).distinct,
          for (a <- l.searched; b <- r.searched) yield RoaringBitmap.and(a, b),
          RoaringBitmap.or(l.mayMatch, r.mayMatch),
          f => l.of(f).or(r.of(f))
        )
      case test: IndexCondition.Test => ask(test, limit)
    }

  private def resultOf(
      uses: Seq[IndexUse],
      searched: Option[RoaringBitmap],
      mayMatch: RoaringBitmap,
      of: Fragment => FragmentResult
  ): IndexResult = new IndexResult(table.fragments, uses, searched, mayMatch, of)

  private def nothing: IndexResult =
    resultOf(Nil, None, mapping.present, f => FragmentResult.unknown(mapping.numRows(f)))

  /** Searches the indices of a field. Each segment is used for the fragments for which no earlier
    * segment was used.
    */
  private def ask(test: IndexCondition.Test, limit: ResultLimit): IndexResult = {
    val done = new RoaringBitmap
    val searched = new RoaringBitmap
    val found = for {
      index <- indices.of(test)
      segment <- index.segments
      open = RoaringBitmap.andNot(mapping.covered(segment), done)
      if !open.isEmpty
      known <- ask(test, index, segment, open, limit, searched)
    } yield {
      done.or(known.covered)
      IndexUse(index.name, index.kind.description, known.covered) -> known
    }
    val named = Optional.unless(searched.isEmpty)(searched)
    if (found.isEmpty)
      resultOf(Nil, named, mapping.present, f => FragmentResult.unknown(mapping.numRows(f)))
    else {
      val mayMatch = RoaringBitmap.andNot(mapping.present, done)
      found.foreach { case (_, known) => mayMatch.or(known.mayMatch) }
      resultOf(
        found.map(_._1),
        named,
        mayMatch,
        f =>
          found.find(_._2.covered.contains(f.id.toInt))
            .fold(FragmentResult.unknown(mapping.numRows(f)))(_._2.of(f))
      )
    }
  }

  private def ask(
      test: IndexCondition.Test,
      index: ScalarIndex,
      segment: IndexSegment,
      wanted: RoaringBitmap,
      limit: ResultLimit,
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
        of.evaluate(files, test.predicate).flatMap { result =>
          searched.or(covered)
          of match {
            case _: ZonedSegment => Some(mapping.knownByZones(covered, result))
            case _ =>
              Optional.when(isMappable(segment, result))(mapping.known(segment, covered, result))
          }
        }
    }

  private def isMappable(segment: IndexSegment, result: SegmentResult): Boolean = {
    val rows = result match {
      case exact: SegmentResult.Exact => exact.trues
      case SegmentResult.Trues(its) => its
      case SegmentResult.AtMost(its) => its
    }
    mapping.isMappable(segment, rows)
  }
}
