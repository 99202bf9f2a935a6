// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.manifest

import io.github.pysparklance.core.Search

/** Finds fragments by id without a map, which would take much memory for a million fragments.
  *
  * @param fragments usually ordered by id
  */
final private[table] class FragmentsById(fragments: IndexedSeq[Fragment]) {
  private val isAscending = FragmentsById.isAscending(fragments)

  /** Returns a fragment, or `None` if there is none with this id. Takes logarithmic time if the
    * fragments are ordered.
    */
  def get(id: Long): Option[Fragment] =
    if (!isAscending) fragments.find(_.id == id)
    else
      fragments
        .lift(Search.first(0, fragments.length)(fragments(_).id >= id))
        .filter(_.id == id)
}

private[table] object FragmentsById {

  /** Whether the ids ascend, as in tables of current writers. */
  def isAscending(fragments: IndexedSeq[Fragment]): Boolean =
    (1 until fragments.length).forall(i => fragments(i - 1).id < fragments(i).id)
}
