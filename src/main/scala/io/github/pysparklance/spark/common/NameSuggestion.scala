// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

/** Suggests a known name for an unknown name. */
private[spark] object NameSuggestion {

  /** Shorter names resemble too many words. */
  private val minLength = 5

  /** Maximum number of wrong letters. */
  private val maxEdits = 2

  /** Returns the most similar known name, if one is similar enough.
    *
    * @param name name in the same spelling as the known names
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

  /** Returns the edit distance: letters to insert, remove, or replace. */
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
