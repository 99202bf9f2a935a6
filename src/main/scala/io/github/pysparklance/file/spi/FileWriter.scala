// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.{Buffer, Column, UnsupportedFeatureException}

/** Writes a data file of any version from front to back. Not thread-safe.
  *
  * An error deletes the file, and the writer can no longer be used.
  */
trait FileWriter extends AutoCloseable {

  /** Number of rows so far. */
  def numRows: Long

  /** Approximate size in bytes of the rows that are not written yet. */
  def bufferedBytes: Long

  /** Number of bytes written so far. */
  def writtenBytes: Long

  /** Writes all pages that are being encoded, so that [[writtenBytes]] includes everything except
    * buffered rows.
    */
  def settle(): Unit = ()

  /** Appends rows.
    *
    * @param batch one column of `numRows` rows for each field of the schema; not retained
    * @throws io.github.pysparklance.core.InvalidRequestException if the columns do not match the
    *   schema
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for values that the file
    *   version does not support
    */
  def write(batch: IndexedSeq[Column], numRows: Int): Unit

  /** Writes bytes outside of pages, to be referenced by a column of descriptors.
    *
    * @return position of the bytes in the file
    * @throws io.github.pysparklance.core.UnsupportedFeatureException if files of this version do
    *   not support it
    */
  def writeOutOfLine(bytes: Buffer): Long =
    throw new UnsupportedFeatureException("bytes outside of pages in a data file of version 0.1")

  /** Writes buffered rows and the metadata of the file, and closes it. */
  def finish(): DataFileSummary

  /** Deletes the file, unless it is finished. */
  def abort(): Unit

  /** Same as [[abort]]. */
  def close(): Unit = abort()
}

/** A finished data file, as listed in a manifest.
  *
  * @param fieldIds ids of the fields with a column; all fields of the schema in files of version
  *   0.1
  * @param columnIndices column of each of these fields; empty in files of version 0.1
  */
final case class DataFileSummary(
    path: String,
    numRows: Long,
    sizeBytes: Long,
    fieldIds: IndexedSeq[Int],
    columnIndices: IndexedSeq[Int]
)
