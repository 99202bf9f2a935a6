// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.index.spi.AnswerSize
import io.github.pysparklance.table.manifest.Fragment

/** What indices know of a condition. Fragments without a matching row cost nothing.
  *
  * @param uses the segments that answered
  * @param searched ids of the fragments that indices for all its parts cover, or those for the parts of an `AND` that have
  *   any; none if that leaves a part without an index
  * @param mayMatch ids of the fragments that may have a row for which the condition is true; not to be changed
  * @param of what is known of a fragment of the table; computed anew by each call
  */
final class IndexAnswer private[index] (
    private[index] val all: IndexedSeq[Fragment],
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
