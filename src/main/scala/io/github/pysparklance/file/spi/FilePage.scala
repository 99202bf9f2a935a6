// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.encoding.PageOutline

/** Describes one page of a data file, for inspection by users.
  *
  * @param column index of the column in the file; in files of version 0.1, the id of the field
  * @param number number of the page in the column, from 0
  * @param firstRow first row of the page in the file; first item for items of lists in files of
  *   version 0.1 and 2.0
  * @param numRows number of rows or items
  * @param offsetBytes position of its first byte in the file; none if it has no bytes
  * @param sizeBytes total size of its buffers, without padding
  * @param numBuffers number of its buffers
  */
final case class FilePage(
    column: Int,
    number: Int,
    firstRow: Long,
    numRows: Long,
    offsetBytes: Option[Long],
    sizeBytes: Long,
    numBuffers: Int,
    outline: PageOutline
)
