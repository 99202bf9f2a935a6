// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file

import io.github.pysparklance.core.Column

/** Writes one top-level field of a 2.x file: gathers rows, and writes pages of those columns that have enough. */
private[file] trait FieldWriter {

  /** The columns that the field and those below it own, in the order of the file. */
  def columns: IndexedSeq[ColumnPages]

  /** Bytes of the rows that no page holds yet, about. */
  def bufferedBytes: Long

  /** Appends rows.
    *
    * @param values not kept
    * @throws io.github.pysparklance.core.InvalidRequestException when their shape is not that of the field
    * @throws io.github.pysparklance.core.UnsupportedFeatureException for values that the file version cannot hold
    */
  def append(values: Column, numRows: Int): Unit

  /** Writes what is gathered. */
  def finish(): Unit
}
