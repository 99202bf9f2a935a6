// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** Finds what a name that nobody knows was meant to be. */
private[spark] object NearestName {

  /** Names so short are like too many words. */
  private val minLength = 5

  /** Letters that may be wrong. */
  private val maxEdits = 2

  /** The known name that is nearest, if one is near.
    *
    * @param name in the same spelling as the known ones
    */
  def of(name: String, known: Iterable[String]): Option[String] =
    if (name.length < minLength) None
    else
      known.toIndexedSeq
        .filter(_.length >= minLength)
        .map(k => edits(name, k) -> k)
        .filter(_._1 <= maxEdits)
        .sorted
        .headOption
        .map(_._2)

  /** Letters to insert, remove or replace to make one name of the other. */
  private def edits(from: String, to: String): Int = {
    var previous = (0 to to.length).toArray
    from.indices.foreach { i =>
      val row = new Array[Int](to.length + 1)
      row(0) = i + 1
      to.indices.foreach { j =>
        val replaced = previous(j) + (if (from(i) == to(j)) 0 else 1)
        row(j + 1) = math.min(replaced, math.min(previous(j + 1), row(j)) + 1)
      }
      previous = row
    }
    previous(to.length)
  }
}
