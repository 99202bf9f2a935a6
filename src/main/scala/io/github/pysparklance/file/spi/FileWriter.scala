// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.{Buffer, Column, UnsupportedFeatureException}

/** Writes a data file of any version from front to back. Not thread-safe.
  *
  * An error removes the file, and the writer takes no further calls.
  */
trait FileWriter extends AutoCloseable {

  /** Rows so far. */
  def numRows: Long

  /** Bytes of the rows that are not written yet, about. */
  def bufferedBytes: Long

  /** Bytes written so far. */
  def writtenBytes: Long

  /** Writes what is under way already, so that [[writtenBytes]] is exact but for the rows that wait. */
  def settle(): Unit = ()

  /** Appends rows.
    *
    * @param batch one column of `numRows` rows for each field of the schema; not kept
    * @throws io.github.pysparklance.core.InvalidRequestException when the columns do not fit the schema
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for values that the file version cannot hold
    */
  def write(batch: IndexedSeq[Column], numRows: Int): Unit

  /** Writes bytes that lie outside of pages, where a column of descriptors says that they are.
    *
    * @return where they begin
    * @throws io.github.pysparklance.core.UnsupportedFeatureException when files of this version have no such place
    */
  def writeOutOfLine(bytes: Buffer): Long =
    throw new UnsupportedFeatureException("bytes outside of pages in a data file of version 0.1")

  /** Writes what is gathered and the file's tables, and closes it. */
  def finish(): DataFileSummary

  /** Removes the file, unless it is finished. */
  def abort(): Unit

  /** The same as [[abort]]. */
  def close(): Unit = abort()
}

/** A finished data file, as a manifest lists it.
  *
  * @param fieldIds ids of the fields that own a column; all of the schema in files of version 0.1
  * @param columnIndices the column of each of them; none in files of version 0.1
  */
final case class DataFileSummary(
    path: String,
    numRows: Long,
    sizeBytes: Long,
    fieldIds: IndexedSeq[Int],
    columnIndices: IndexedSeq[Int]
)
