// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

/** Matrices of bytes, row by row. */
private[quantizer] object ByteMatrix {

  /** The transposed matrix. */
  def transposed(bytes: Array[Byte], numRows: Int, numColumns: Int): Array[Byte] = {
    val out = new Array[Byte](bytes.length)
    var row = 0
    while (row < numRows) {
      var column = 0
      while (column < numColumns) {
        out(column * numRows + row) = bytes(row * numColumns + column)
        column += 1
      }
      row += 1
    }
    out
  }
}
