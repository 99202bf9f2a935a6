// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{LogicalType, Optional, Workers}
import io.github.pysparklance.index.scalar.Bitmap
import io.github.pysparklance.index.spi.Key
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment

/** Counts rows of a version of a table with indices only. Deleted rows are not counted. Returns
  * `None` if the indices do not cover all fragments, are not exact, or cannot be read, or if too
  * many deletion files have to be read.
  */
final class IndexCounts(indices: ScalarIndices) {
  import IndexCounts._
  import indices.{mapping, table}

  private val exact = new ExactResults(indices)
  private val deletions = mutable.LongMap.empty[DeletionVector]

  /** Returns the number of rows for which a condition is true. */
  def rows(condition: IndexCondition): Option[IndexedResult[Long]] =
    exact(condition).flatMap { result =>
      val found = table.fragments.zip(result.fragments.map(_.rows)).filterNot(_._2.isEmpty)
      val (whole, part) = found.partition { case (f, rows) =>
        f.liveRows.isDefined && f.physicalRows.contains(rows.getLongCardinality)
      }
      Optional.when(readDeletions(part.map(_._1)))(IndexedResult(
        whole.flatMap(_._1.liveRows).sum + part.map { case (f, rows) => live(f.id, rows) }.sum,
        result.uses.map(_.index).distinct
      ))
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
    indices.of(fieldId).iterator.filter(_.kind == Bitmap && readDeletions(table.fragments))
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

  /** Reads deletion files. Returns `false` if they are too many for the driver. */
  private def readDeletions(of: IndexedSeq[Fragment]): Boolean = {
    val unread = of.filter(f => f.deletionFile.isDefined && !deletions.contains(f.id))
    unread.length <= maxDeletionFiles && {
      val read = Workers.map(unread, readers)(table.deletionVector(_))
      unread.zip(read).foreach { case (f, deleted) => deletions(f.id) = deleted }
      true
    }
  }

  /** Returns how many of the given rows of a fragment are not deleted. */
  private def live(fragmentId: Long, rows: RoaringBitmap): Long =
    rows.getLongCardinality - deletions.get(fragmentId).fold(0L)(_.numDeletedOf(rows))
}

private object IndexCounts {

  /** Number of deletion files that the driver reads. With more, a scan in tasks is faster. */
  private val maxDeletionFiles = 1024

  private val readers = 8
}
