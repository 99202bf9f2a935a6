// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

import io.github.pysparklance.core.Column
import io.github.pysparklance.index.vector.search.{ApproxMode, DistanceScale, QueryVector}

/** The encoding of the vectors of an index segment. Immutable and thread-safe.
  *
  * Source: format page of indices, "Files" and "Search and distances".
  */
trait Quantizer {

  /** The name within the name of the index type, such as `PQ`. */
  def name: String

  /** Number of elements of a vector. */
  def dimension: Int

  /** The scale of distances to the codes. */
  def scale: DistanceScale

  /** Names of the columns with the codes. */
  def columns: IndexedSeq[String]

  /** Number of bytes of the code of a vector. */
  def bytesPerVector: Long

  /** Returns a builder for the codes of a partition.
    *
    * @param numRows number of rows of the partition, which must all be appended
    * @param isGraph whether distances to single rows are computed, instead of to all rows
    */
  def newCodes(numRows: Int, isGraph: Boolean): CodesBuilder

  /** Prepares a query for all partitions.
    *
    * @param query normalized for the cosine metric
    */
  def prepare(query: QueryVector, mode: ApproxMode): PreparedQuery

  /** Approximate memory of a prepared query in bytes. */
  def bytesPerQuery: Long = 16L * dimension

  /** Approximate memory in bytes. */
  def sizeInBytes: Long
}

/** Gathers the codes of a partition. Not thread-safe. */
trait CodesBuilder {

  /** Appends rows.
    *
    * @param columns the columns [[Quantizer.columns]], valid until this method returns
    * @throws io.github.pysparklance.core.CorruptFileException if they have another shape
    */
  def append(columns: IndexedSeq[Column]): Unit

  /** Returns the codes after all rows are appended. */
  def result(): Codes
}

/** The codes of a partition. Immutable. */
trait Codes {

  def numRows: Int

  /** Approximate memory in bytes. */
  def sizeInBytes: Long
}

/** A query with the values that do not depend on the partition. Not thread-safe. */
trait PreparedQuery {

  /** Returns the distances to the rows of a partition.
    *
    * @param centroidDistance distance of the query to the centroid, which ranks the partition
    * @param codes codes of the partition, from the same quantizer
    */
  def distances(partition: Int, centroidDistance: Float, codes: Codes): RowDistances
}

/** Computes the distances of a query to the rows of a partition. Not thread-safe. */
trait RowDistances {

  /** Computes the distances to consecutive rows.
    *
    * @param out receives one distance a row from index 0
    */
  def fill(from: Int, numRows: Int, out: Array[Float]): Unit

  /** Computes the distances to some rows.
    *
    * @param rows numbers of the rows in the partition
    * @param out receives one distance a row from index 0
    */
  def gather(rows: Array[Int], numRows: Int, out: Array[Float]): Unit

  /** Whether [[fill]] computes lower bounds of the distances, and only [[gather]] the distances. */
  def hasLowerBounds: Boolean = false
}
