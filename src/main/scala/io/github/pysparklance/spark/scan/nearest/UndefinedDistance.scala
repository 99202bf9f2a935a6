// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

/** How a search treats queries and rows whose distance is NaN: those with NaN or infinities, and
  * with the metric cosine vectors of zeros. Rows with nulls are never found.
  *
  * @param takesAnyQuery whether queries may have NaN, infinities, and nulls. A query with a null
  *   finds no rows
  */
sealed abstract class UndefinedDistance(val takesAnyQuery: Boolean) extends Serializable

object UndefinedDistance {

  /** Rejects such queries, and does not find such rows. */
  case object Rejected extends UndefinedDistance(false)

  /** Neither finds such rows, nor any rows for such queries. */
  case object Ignored extends UndefinedDistance(true)

  /** Ranks such rows last. Spark orders NaN after all distances. */
  case object Farthest extends UndefinedDistance(true)

  /** Ranks such rows first. Spark orders NaN after all similarities, and the greatest is wanted. */
  case object Nearest extends UndefinedDistance(true)

  /** Ranks such rows first, except for vectors of zeros, whose similarity in Spark is null. */
  case object NearestUnlessZero extends UndefinedDistance(true)
}
