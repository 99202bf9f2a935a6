// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.vectors

import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import io.github.pysparklance.core.{ArrowArray, Column, ColumnBuffer, Field}

/** A batch of rows of a scan: vectors for Spark, and Arrow arrays for engines that read these.
  *
  * The batch is valid until the next one is requested from its reader, or the reader is closed: the
  * arrays are then overwritten. Consumers that keep rows copy them, as Spark's operators do. One
  * thread reads a batch at a time.
  *
  * @param rows positions of the rows of the batch in `columns`; null for all
  */
final class LanceBatch private[spark] (
    vectors: Array[ColumnVector],
    numRows: Int,
    fields: IndexedSeq[Field],
    columns: IndexedSeq[Column],
    rows: Array[Int]
) extends ColumnarBatch(vectors, numRows) {

  /** Returns a column of the batch as an Arrow array, which is valid as long as the batch.
    *
    * [[ArrowArray]] describes which buffers are views. If rows of the batch were filtered or
    * deleted, the remaining rows are copied.
    *
    * @param ordinal position of the column
    */
  def arrow(ordinal: Int): ArrowArray = {
    val column = columns(ordinal)
    val field = fields(ordinal)
    ArrowArray.of(if (rows == null) column else selected(column, field), field)
  }

  private def selected(column: Column, field: Field): Column = {
    val buffer = ColumnBuffer(field)
    var i = 0
    while (i < numRows) {
      val first = rows(i)
      var n = 1
      while (i + n < numRows && rows(i + n) == first + n) n += 1
      buffer.append(column, first, n)
      i += n
    }
    buffer.column
  }
}
