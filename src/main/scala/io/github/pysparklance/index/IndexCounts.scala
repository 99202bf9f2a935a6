// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{LogicalType, Optional}
import io.github.pysparklance.index.scalar.{BTree, Bitmap, LabelList}
import io.github.pysparklance.index.spi.Key
import io.github.pysparklance.table.LanceTable

/** Counts rows of a version of a table by indices alone. Deleted rows do not count. Returns `None` where the indices do not
  * have the exact number: if they do not cover all fragments, answer at most, or cannot be read.
  */
final class IndexCounts(table: LanceTable) {
  import IndexCounts._

  private val indices = new ScalarIndices(table)
  private def mapping = indices.mapping
  private lazy val deletions = table.fragments.map(f => f.id -> table.deletionVector(f)).toMap

  /** The number of rows for which a condition is true. */
  def rows(condition: IndexCondition): Option[Counted[Long]] =
    if (!isCovered(condition)) None
    else {
      val answer = indices.answer(condition, limit)
      Optional.when(answer.fragments.forall(_.isExact)) {
        val counts = table.fragments.zip(answer.fragments).map { case (f, of) =>
          live(f.id, of.rows)
        }
        Counted(counts.sum, answer.uses.map(_.index).distinct)
      }
    }

  /** The number of rows of each value of a field; null is `None`.
    *
    * @param maxKeys there may be, or nothing is counted
    */
  def groups(
      fieldId: Int,
      valueType: LogicalType,
      maxKeys: Int
  ): Option[Counted[Seq[(Option[Key], Long)]]] =
    indices.indices.filter(i => i.fieldId == fieldId && i.kind == Bitmap)
      .flatMap(groups(_, valueType, maxKeys))
      .headOption

  private def groups(
      index: ScalarIndex,
      valueType: LogicalType,
      maxKeys: Int
  ): Option[Counted[Seq[(Option[Key], Long)]]] = {
    val counts = mutable.LinkedHashMap.empty[Option[Key], Long]
    val done = new RoaringBitmap
    val isComplete = index.segments.forall { segment =>
      val open = RoaringBitmap.andNot(mapping.covered(segment), done)
      def isCounted = Bitmap.foreachKey(indices.filesOf(segment), valueType, maxKeys) {
        (key, rows) =>
          val found = mapping.rows(segment, open, rows).map { case (id, its) => live(id, its) }.sum
          if (found > 0) counts(key) = counts.getOrElse(key, 0L) + found
          done.or(open)
      }
      open.isEmpty || indices.readable(segment)(Optional.when(isCounted)(())).isDefined
    }
    // Each row has one value.
    Optional.when(
      isComplete && done == mapping.present && counts.size <= maxKeys &&
        table.rowCount.contains(counts.values.sum)
    )(Counted(counts.toSeq, Seq(index.name)))
  }

  /** How many of some rows of a fragment are not deleted. */
  private def live(fragmentId: Long, rows: RoaringBitmap): Long =
    rows.getLongCardinality - deletions(fragmentId).numDeletedOf(rows)

  /** Whether indices that answer exactly cover all fragments. */
  private def isCovered(condition: IndexCondition): Boolean = condition match {
    case IndexCondition.And(left, right) => isCovered(left) && isCovered(right)
    case IndexCondition.Or(left, right) => isCovered(left) && isCovered(right)
    case IndexCondition.Not(inner) => isCovered(inner)
    case IndexCondition.Null => true
    case IndexCondition.Unknown => false
    case test: IndexCondition.Test =>
      val covered = new RoaringBitmap
      for {
        index <- indices.indices if index.fieldId == test.fieldId && exact.contains(index.kind)
        segment <- index.segments
      } covered.or(mapping.covered(segment))
      covered == mapping.present
  }
}

object IndexCounts {
  private val exact = Seq(BTree, Bitmap, LabelList)

  /** Tasks count faster than the driver reads more entries than this. */
  private val limit: AnswerLimit = _.entries <= (1L << 20)

  /** @param indices their names */
  final case class Counted[A](result: A, indices: Seq[String])
}
