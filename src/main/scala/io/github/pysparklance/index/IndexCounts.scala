// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{LogicalType, Optional}
import io.github.pysparklance.index.scalar.Bitmap
import io.github.pysparklance.index.spi.Key

/** Counts rows of a version of a table with indices only. Deleted rows are not counted. Returns
  * `None` if the indices do not cover all fragments, are not exact, or cannot be read.
  */
final class IndexCounts(indices: ScalarIndices) {
  import indices.{mapping, table}

  private val exact = new ExactResults(indices)
  private lazy val deletions = table.fragments.map(f => f.id -> table.deletionVector(f)).toMap

  /** Returns the number of rows for which a condition is true. */
  def rows(condition: IndexCondition): Option[IndexedResult[Long]] =
    exact(condition).map { result =>
      val counts = table.fragments.zip(result.fragments).map { case (f, of) => live(f.id, of.rows) }
      IndexedResult(counts.sum, result.uses.map(_.index).distinct)
    }

  /** Returns the number of rows for each value of a field. The key of null is `None`.
    *
    * @param maxKeys maximum number of distinct values; with more, returns `None`
    */
  def groups(
      fieldId: Int,
      valueType: LogicalType,
      maxKeys: Int
  ): Option[IndexedResult[Seq[(Option[Key], Long)]]] =
    indices.of(fieldId).iterator.filter(_.kind == Bitmap)
      .flatMap(groups(_, valueType, maxKeys))
      .find(_ => true)

  private def groups(
      index: ScalarIndex,
      valueType: LogicalType,
      maxKeys: Int
  ): Option[IndexedResult[Seq[(Option[Key], Long)]]] = {
    val counts = mutable.LinkedHashMap.empty[Option[Key], Long]
    val done = new RoaringBitmap
    val isComplete = index.segments.forall { segment =>
      val open = RoaringBitmap.andNot(mapping.covered(segment), done)
      def isCounted = Bitmap.foreachKey(indices.filesOf(segment), valueType, maxKeys) {
        (key, rows) =>
          if (mapping.isMappable(segment, rows)) {
            val found =
              mapping.rows(segment, open, rows).map { case (id, its) => live(id, its) }.sum
            if (found > 0) counts(key) = counts.getOrElse(key, 0L) + found
            done.or(open)
          }
      }
      open.isEmpty || indices.readable(segment)(Optional.when(isCounted)(())).isDefined
    }
    // Each row has exactly one value, so the counts must add up to the row count.
    Optional.when(
      isComplete && done == mapping.present && counts.size <= maxKeys &&
        table.rowCount.contains(counts.values.sum)
    )(IndexedResult(counts.toSeq, Seq(index.name)))
  }

  /** Returns how many of the given rows of a fragment are not deleted. */
  private def live(fragmentId: Long, rows: RoaringBitmap): Long =
    rows.getLongCardinality - deletions(fragmentId).numDeletedOf(rows)
}
