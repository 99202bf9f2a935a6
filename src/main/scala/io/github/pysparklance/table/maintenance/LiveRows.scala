// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import io.github.pysparklance.core.{Column, ColumnBuffer, Field}

/** Extracts live rows from batches until a file is full or the batch is exhausted. Copies runs of
  * rows.
  *
  * @param fields fields of the columns; blobs have the shape in which they are read
  */
final private class LiveRows(fields: IndexedSeq[Field]) {
  private val buffers = fields.map(ColumnBuffer(_))

  /** Returns columns of some live rows of a batch. Valid until the next call.
    *
    * @param live positions of the live rows; null if all are live
    * @param from index of the first live row to take
    * @param numRows number of live rows to take
    */
  def take(
      batch: IndexedSeq[Column],
      live: Array[Int],
      from: Int,
      numRows: Int
  ): IndexedSeq[Column] = {
    buffers.foreach(_.clear())
    if (live == null) buffers.indices.foreach(i => buffers(i).append(batch(i), from, numRows))
    else {
      var at = from
      while (at < from + numRows) {
        var end = at + 1
        while (end < from + numRows && live(end) == live(end - 1) + 1) end += 1
        var i = 0
        while (i < buffers.length) {
          buffers(i).append(batch(i), live(at), end - at)
          i += 1
        }
        at = end
      }
    }
    buffers.map(_.column)
  }
}
