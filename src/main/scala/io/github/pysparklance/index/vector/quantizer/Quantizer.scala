// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import io.github.pysparklance.core.Column
import io.github.pysparklance.index.vector.search.{ApproxMode, DistanceScale, QueryVector}

/** How the vectors of an index segment are stored. Immutable; safe for use from many threads.
  *
  * Source: format page of indices, "Files" and "Search and distances".
  */
trait Quantizer {

  /** The name within the name of the index type, such as `PQ`. */
  def name: String

  /** Elements of a vector. */
  def dimension: Int

  /** The scale of distances to the codes. */
  def scale: DistanceScale

  /** Columns with the codes of a vector. */
  def columns: IndexedSeq[String]

  /** Bytes of the code of a vector. */
  def bytesPerVector: Long

  /** Starts to gather the codes of a partition.
    *
    * @param numRows number of rows of the partition; all of them are appended
    * @param isGraph whether distances to single rows are computed rather than to all of them
    */
  def newCodes(numRows: Int, isGraph: Boolean): CodesBuilder

  /** Prepares a query for all partitions.
    *
    * @param query normalized for the cosine metric
    */
  def prepare(query: QueryVector, mode: ApproxMode): PreparedQuery

  /** Memory that a prepared query takes, about. */
  def bytesPerQuery: Long = 16L * dimension

  /** Memory that it takes, about. */
  def sizeInBytes: Long
}

/** Gathers the codes of a partition. Not thread-safe. */
trait CodesBuilder {

  /** Appends rows.
    *
    * @param columns those that the quantizer names, valid until this method returns
    * @throws io.github.pysparklance.core.CorruptFileException when they hold something else
    */
  def append(columns: IndexedSeq[Column]): Unit

  /** The codes, when all rows are there. */
  def result(): Codes
}

/** The codes of a partition. Immutable. */
trait Codes {

  def numRows: Int

  /** Memory that they take, about. */
  def sizeInBytes: Long
}

/** A query with all that does not depend on the partition. Not thread-safe. */
trait PreparedQuery {

  /** Distances to the rows of a partition.
    *
    * @param centroidDistance distance of the query to the centroid, as partitions are ranked
    * @param codes codes of the partition, made by the same quantizer
    */
  def distances(partition: Int, centroidDistance: Float, codes: Codes): RowDistances
}

/** Distances of a query to the rows of a partition. Not thread-safe. */
trait RowDistances {

  /** Computes the distances to consecutive rows.
    *
    * @param out gets one distance a row from index 0
    */
  def fill(from: Int, numRows: Int, out: Array[Float]): Unit

  /** Computes the distances to some rows.
    *
    * @param rows their numbers in the partition
    * @param out gets one distance a row from index 0
    */
  def gather(rows: Array[Int], numRows: Int, out: Array[Float]): Unit

  /** Whether [[fill]] computes lower bounds and [[gather]] the distances. */
  def hasLowerBounds: Boolean = false
}
