// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.Optional
import io.github.pysparklance.index.json.JsonIndexKind
import io.github.pysparklance.index.scalar.{BTree, Bitmap, LabelList}
import io.github.pysparklance.index.spi.ScalarIndexKind

/** Evaluates conditions with indices that return exactly the matching rows. The rows include
  * deleted rows.
  */
final private[index] class ExactResults(indices: ScalarIndices) {
  import ExactResults._
  import indices.mapping

  private val results = new IndexEvaluator(indices)

  /** Returns the matching rows. Returns `None` if the result is not exact for every fragment, or
    * too large for the driver.
    */
  def apply(condition: IndexCondition): Option[IndexResult] =
    if (!isCovered(condition)) None
    else {
      val result = results(condition, limit)
      Optional.when(result.fragments.forall(_.isExact))(result)
    }

  /** Whether indices with exact results cover all fragments. */
  private def isCovered(condition: IndexCondition): Boolean = condition match {
    case IndexCondition.And(left, right) => isCovered(left) && isCovered(right)
    case IndexCondition.Or(left, right) => isCovered(left) && isCovered(right)
    case IndexCondition.Not(inner) => isCovered(inner)
    case IndexCondition.Null => true
    case IndexCondition.Unknown => false
    case test: IndexCondition.Test =>
      val covered = new RoaringBitmap
      for {
        index <- indices.of(test) if isExact(index.kind)
        segment <- index.segments
      } covered.or(mapping.covered(segment))
      covered == mapping.present
  }
}

private object ExactResults {
  private val exact = Seq[ScalarIndexKind](BTree, Bitmap, LabelList)

  private def isExact(kind: ScalarIndexKind): Boolean = kind match {
    case json: JsonIndexKind => exact.contains(json.target)
    case other => exact.contains(other)
  }

  /** Above this number of entries, filtering in tasks is faster than reading the index on the
    * driver.
    */
  private val limit: ResultLimit = _.entries <= (1L << 20)
}

/** A result that was computed from indices only.
  *
  * @param indices names of the indices
  */
final case class IndexedResult[+A](value: A, indices: Seq[String])
