// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.encoding.PageOutline

/** One page of a data file, for people who want to know how it is stored.
  *
  * @param column index of the column among those of the file; in files of version 0.1 the id of the field
  * @param number of the page among those of the column, from 0
  * @param firstRow row of the file at which it begins; for the items of lists in files of 0.1 and 2.0 the item
  * @param numRows its rows, or items
  * @param offsetBytes where its first bytes are in the file; none when it has none
  * @param sizeBytes bytes of its buffers, without what is between them
  * @param numBuffers how many buffers it has
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
