// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.maintenance

import io.github.pysparklance.core.{Column, ColumnBuffer, Field}

/** Takes live rows out of batches until a file is full, or the batch is done. Runs of rows are copied at once.
  *
  * @param fields of the columns, blobs in the shape they are read in
  */
final private class LiveRows(fields: IndexedSeq[Field]) {
  private val buffers = fields.map(ColumnBuffer(_))

  /** Columns of some of the live rows of a batch; valid until the next call.
    *
    * @param live positions of the live rows, null when all are
    * @param from the first of them to take
    * @param numRows how many of them
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
