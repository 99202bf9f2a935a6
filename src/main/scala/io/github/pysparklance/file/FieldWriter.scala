// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core.Column

/** Writes one top-level field of a 2.x file. Buffers rows, and writes pages of the columns that
  * have enough values.
  */
private[file] trait FieldWriter {

  /** The columns of the field and its descendants, in the order of the file. */
  def columns: IndexedSeq[ColumnPages]

  /** Approximate size in bytes of the rows that are not in a page yet. */
  def bufferedBytes: Long

  /** Appends rows.
    *
    * @param values not retained
    * @throws io.github.pysparklance.core.InvalidRequestException if their shape does not match the
    *   field
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for values that the file
    *   version does not support
    */
  def append(values: Column, numRows: Int): Unit

  /** Writes all buffered rows. */
  def finish(): Unit
}
