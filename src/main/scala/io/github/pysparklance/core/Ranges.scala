// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.core

/** A half-open range of rows, `[from, until)`. */
final case class RowRange(from: Long, until: Long) {
  require(from >= 0 && until >= from, s"row range [$from, $until)")
  def numRows: Long = until - from
  def isEmpty: Boolean = until == from
}

/** A half-open range of bytes of a file or buffer. */
final case class ByteRange(offset: Long, length: Long) {
  require(offset >= 0 && length >= 0, s"byte range of $length at $offset")
  def end: Long = offset + length
}
