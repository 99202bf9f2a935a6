// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.spi.ResultSize
import io.github.pysparklance.table.manifest.Fragment

/** The result of evaluating a condition with indices. Fragments without a matching row take no
  * memory.
  *
  * @param uses the segments that were used
  * @param searched ids of the fragments for which indices cover all parts of the condition. For an
  *   `AND`, the parts without an index do not count. `None` if a part without an index prevents the
  *   use of the others
  * @param mayMatch ids of the fragments that may have a matching row; must not be changed
  * @param of computes the result for a fragment of the table, at each call
  */
final class IndexResult private[index] (
    private[index] val all: IndexedSeq[Fragment],
    val uses: Seq[IndexUse],
    val searched: Option[RoaringBitmap],
    val mayMatch: RoaringBitmap,
    val of: Fragment => FragmentResult
) {

  private lazy val covered =
    uses.iterator.map(_.fragments).foldLeft(new RoaringBitmap)(RoaringBitmap.or(_, _))

  /** Whether one of the used segments covers a fragment. */
  def covers(fragment: Fragment): Boolean = covered.contains(fragment.id.toInt)

  /** The result for each fragment of the table. */
  lazy val fragments: IndexedSeq[FragmentResult] = all.map(of)
}

/** Limits the size of index results. */
trait ResultLimit {
  def allows(size: ResultSize): Boolean
}

/** Limits of index results. */
object ResultLimit {

  /** No limit. */
  val none: ResultLimit = _ => true
}

/** A segment that was used to evaluate a condition.
  *
  * @param index name of the index
  * @param kind kind of the index, such as `BTREE`
  * @param fragments ids of the fragments for which it was used
  */
final case class IndexUse(index: String, kind: String, fragments: RoaringBitmap)
