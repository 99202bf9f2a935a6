// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.vector.quantizer

/** Loops over codes of bytes. Hot code: imperative. */
private[quantizer] object ByteProducts {

  /** Sums up an entry of each table for rows whose codes lie column by column: byte j of row i is
    * at `j * stride + i`.
    *
    * @param tables tables of 256 entries, one for each byte of a row
    * @param numTables number of bytes of a row
    * @param out receives the sum of row `from + i` at position i
    */
  def sumTables(
      tables: Array[Float],
      numTables: Int,
      codes: Array[Byte],
      stride: Int,
      from: Int,
      numRows: Int,
      out: Array[Float]
  ): Unit = {
    java.util.Arrays.fill(out, 0, numRows, 0f)
    var j = 0
    while (j + 4 <= numTables) {
      val t0 = j * 256
      val c0 = j * stride + from
      val c1 = c0 + stride
      val c2 = c1 + stride
      val c3 = c2 + stride
      var i = 0
      while (i < numRows) {
        out(i) +=
          (tables(t0 + (codes(c0 + i) & 0xff)) + tables(t0 + 256 + (codes(c1 + i) & 0xff))) +
            (tables(t0 + 512 + (codes(c2 + i) & 0xff)) + tables(t0 + 768 + (codes(c3 + i) & 0xff)))
        i += 1
      }
      j += 4
    }
    while (j < numTables) {
      val t0 = j * 256
      val c0 = j * stride + from
      var i = 0
      while (i < numRows) {
        out(i) += tables(t0 + (codes(c0 + i) & 0xff))
        i += 1
      }
      j += 1
    }
  }

  /** Sums an entry of each table for a row whose codes are stored contiguously.
    *
    * @param at position of the first code
    */
  def sumTables(tables: Array[Float], numTables: Int, codes: Array[Byte], at: Int): Float = {
    var (a, b) = (0f, 0f)
    var j = 0
    while (j + 2 <= numTables) {
      a += tables(j * 256 + (codes(at + j) & 0xff))
      b += tables(j * 256 + 256 + (codes(at + j + 1) & 0xff))
      j += 2
    }
    if (j < numTables) a += tables(j * 256 + (codes(at + j) & 0xff))
    a + b
  }

  /** Sums an entry of each table for a row whose codes are stored column by column.
    *
    * @param stride distance from one byte of the row to the next
    */
  def sumTablesOfColumns(
      tables: Array[Float],
      numTables: Int,
      codes: Array[Byte],
      stride: Int,
      row: Int
  ): Float = {
    var sum = 0f
    var j = 0
    while (j < numTables) {
      sum += tables(j * 256 + (codes(j * stride + row) & 0xff))
      j += 1
    }
    sum
  }
}
