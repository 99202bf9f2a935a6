// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector

import io.github.pysparklance.core.Values

/** Reads the vectors of rows, for the true distances of the candidates of an index. */
trait VectorSource {

  /** Returns the vectors of rows.
    *
    * @param addresses addresses of live rows, in any order
    */
  def read(addresses: Array[Long]): StoredVectors
}

/** The vectors of some rows.
  *
  * @param items elements of the vectors, vector by vector, as readers decode them
  * @param first number of the first vector of each row
  * @param counts number of vectors of each row: 0 for a null, otherwise 1, or any number for a list
  *   of vectors
  */
final class StoredVectors(val items: Values, val first: Array[Int], val counts: Array[Int])
