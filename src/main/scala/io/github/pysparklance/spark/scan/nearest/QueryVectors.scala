// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.nearest

import java.util.Arrays

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.index.vector.VectorColumn

/** The vectors of queries, which all have the same dimension. Equal if the elements are equal.
  *
  * @param queries vectors of each query: one, or several for a column with lists of vectors. Must
  *   not be changed
  * @param isBatch whether results have the number of the query
  * @param isNested whether each query was given as an array of vectors
  */
final class QueryVectors(
    val queries: IndexedSeq[IndexedSeq[Array[Double]]],
    val isBatch: Boolean,
    isNested: Boolean
) extends Serializable {

  def size: Int = queries.length

  /** All vectors. */
  def vectors: Iterator[Array[Double]] = queries.iterator.flatten

  /** Returns the queries for a column. An array of vectors is a batch, unless the column has lists
    * of vectors: then it is a single query.
    *
    * @throws InvalidRequestException if queries have several vectors, but rows have only one
    */
  def in(column: VectorColumn): QueryVectors =
    if (column.isMulti && isBatch && !isNested)
      new QueryVectors(IndexedSeq(queries.flatten), isBatch = false, isNested = true)
    else if (!column.isMulti && isNested)
      throw new InvalidRequestException(
        s"each query has an array of vectors, but column ${column.name} has one vector for each row: " +
          "pass one vector for each query"
      )
    else this

  override def equals(other: Any): Boolean = other match {
    case q: QueryVectors =>
      isBatch == q.isBatch && size == q.size &&
      queries.zip(q.queries).forall { case (a, b) =>
        a.length == b.length && a.indices.forall(i => Arrays.equals(a(i), b(i)))
      }
    case _ => false
  }

  override def hashCode: Int = vectors.foldLeft(size)((h, e) => 31 * h + Arrays.hashCode(e))

  override def toString: String =
    if (isBatch) s"$size queries" else s"a query of ${vectors.map(_.length).sum} elements"
}

private[spark] object QueryVectors {

  /** No queries, for joins, whose rows contain the queries. */
  val none: QueryVectors = new QueryVectors(IndexedSeq.empty, isBatch = false, isNested = false)
}
