// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

/** Finds fragments by id without a map, which would take much memory for a million fragments.
  *
  * @param fragments usually ordered by id
  */
final private[table] class FragmentsById(fragments: IndexedSeq[Fragment]) {
  private val isAscending =
    (1 until fragments.length).forall(i => fragments(i - 1).id < fragments(i).id)

  /** Returns a fragment, or `None` if there is none with this id. Takes logarithmic time if the
    * fragments are ordered.
    */
  def get(id: Long): Option[Fragment] =
    if (!isAscending) fragments.find(_.id == id)
    else {
      var low = 0
      var high = fragments.length
      while (low < high) {
        val middle = (low + high) >>> 1
        if (fragments(middle).id < id) low = middle + 1 else high = middle
      }
      fragments.lift(low).filter(_.id == id)
    }
}
