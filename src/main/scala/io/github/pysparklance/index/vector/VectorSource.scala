// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import io.github.pysparklance.core.Values

/** Reads the vectors of rows, so that candidates of an index can be compared by their true distances. */
trait VectorSource {

  /** The vectors of rows.
    *
    * @param addresses addresses of live rows, in any order
    */
  def read(addresses: Array[Long]): StoredVectors
}

/** The vectors of some rows.
  *
  * @param items their elements back to back, as readers decode them
  * @param first number of the first vector of each row
  * @param counts vectors of each row: one, or any number in columns of lists of vectors; none for a null
  */
final class StoredVectors(val items: Values, val first: Array[Int], val counts: Array[Int])
