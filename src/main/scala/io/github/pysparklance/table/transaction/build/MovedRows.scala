// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import io.github.pysparklance.core.InvalidRequestException

/** The rows of a new fragment that keep their stable row ids. All other rows of the fragment are
  * new, and get ids when the manifest is built.
  *
  * @param offsets offsets in the fragment, ascending
  * @param ids stable row id of each of these rows
  */
final class MovedRows(val offsets: Array[Int], val ids: Array[Long]) {
  if (offsets.length != ids.length)
    throw new InvalidRequestException(s"${ids.length} row ids for ${offsets.length} rows")

  def isEmpty: Boolean = offsets.isEmpty

  /** Returns the ids of all rows of the fragment.
    *
    * @param numRows rows of the fragment
    * @param next the id of the first new row
    */
  private[build] def idsOfAll(numRows: Int, next: Long): Array[Long] = {
    val all = new Array[Long](numRows)
    var moved = 0
    var fresh = next
    var i = 0
    while (i < numRows) {
      if (moved < offsets.length && offsets(moved) == i) {
        all(i) = ids(moved)
        moved += 1
      } else {
        all(i) = fresh
        fresh += 1
      }
      i += 1
    }
    if (moved != offsets.length)
      throw new InvalidRequestException(
        s"row ${offsets(moved)} of a new fragment is not one of its $numRows rows in ascending order"
      )
    all
  }
}

object MovedRows {

  /** A fragment without moved rows. */
  val none: MovedRows = new MovedRows(Array.empty, Array.empty)
}
