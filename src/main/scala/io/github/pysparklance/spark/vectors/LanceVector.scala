// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.vectors

import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.Validity

/** A column of a batch as a Spark vector. Wraps the arrays of a decoded column without copying.
  * Valid until the reader's next batch. Each kind of array has its own final class, so that calls
  * stay monomorphic. Hot code.
  *
  * @param numRows number of rows
  * @param validity valid rows; null if all rows are valid
  */
abstract class LanceVector(dataType: DataType, val numRows: Int, validity: Validity)
    extends ColumnVector(dataType) {

  private[this] val words: Array[Long] =
    if (validity != null && validity.hasNulls) validity.words else null

  override def isNullAt(row: Int): Boolean =
    words != null && ((words(row >> 6) >>> row) & 1L) == 0L

  override def hasNull: Boolean = words != null

  override def numNulls: Int = if (words == null) 0 else validity.numNulls

  /** Selects rows whose values are within a range. Supports integers of up to 64 bits, and decimals
    * by their unscaled values. Each kind of array has its own loop, to avoid a call for each value.
    * The loops shift the values so that `min` is the least integer, and a single comparison checks
    * both bounds.
    *
    * @param max at least `min`
    * @param live positions of the candidate rows, ascending
    * @param found receives the positions of the selected rows; may be `live`
    * @return number of selected rows, without nulls; -1 if the values are not supported
    */
  def between(min: Long, max: Long, live: Array[Int], numLive: Int, found: Array[Int]): Int = -1

  /** Copies integers of 32 or 64 bits, including dates and timestamps.
    *
    * @param rows positions of non-null rows; null for the first `n` rows
    * @param to array with room for at least `n` values
    * @return `false` if the values are not supported
    */
  def copyIntegers(rows: Array[Int], n: Int, to: Array[Long]): Boolean = false

  /** Returns selected rows, in ascending order. Narrow columns are copied, so that callers only see
    * one kind of vector. Others are mapped.
    *
    * @param rows array with at least `n` positions, which must not change as long as the result is
    *   used
    */
  def select(rows: Array[Int], n: Int): LanceVector =
    if (hasNull) new MappedVector(this, rows, n, null) else selectValid(rows, n)

  /** Returns selected rows of a column without nulls. */
  protected def selectValid(rows: Array[Int], n: Int): LanceVector =
    new MappedVector(this, rows, n, null)

  /** Removes null rows from the first `n` positions. Returns the number of remaining positions. */
  final protected def withoutNulls(found: Array[Int], n: Int): Int =
    if (words == null) n
    else {
      var left = 0
      var i = 0
      while (i < n) {
        val row = found(i)
        found(left) = row
        left += ((words(row >> 6) >>> row) & 1L).toInt
        i += 1
      }
      left
    }

  /** Size of a value in Spark's unsafe arrays, for [[copyTo]]; 0 if values cannot be copied. */
  def copiedBytes: Int = 0

  /** Copies values in the layout of Spark's unsafe arrays. Values of null rows are undefined.
    *
    * @param offset offset of the first value for Spark's `Platform`
    */
  def copyTo(row: Int, count: Int, to: Array[Byte], offset: Long): Unit = no("copyTo")

  /** Returns the list in a row. A fixed-size list of floats is an unsafe array, which is valid
    * until the next call.
    */
  def arrayData(row: Int): ArrayData = getArray(row)

  /** Does nothing, because the reader owns the arrays. */
  override def close(): Unit = ()

  private def no(what: String): Nothing =
    throw new UnsupportedOperationException(s"$what of a vector of ${dataType.sql}")

  override def getBoolean(row: Int): Boolean = no("getBoolean")
  override def getByte(row: Int): Byte = no("getByte")
  override def getShort(row: Int): Short = no("getShort")
  override def getInt(row: Int): Int = no("getInt")
  override def getLong(row: Int): Long = no("getLong")
  override def getFloat(row: Int): Float = no("getFloat")
  override def getDouble(row: Int): Double = no("getDouble")

  /** Null in null rows, because Spark's interpreted projections do not check for nulls. */
  final override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(row)) null else decimalAt(row, precision, scale)

  /** Returns the decimal in a row that is not null. */
  protected def decimalAt(row: Int, precision: Int, scale: Int): Decimal = no("getDecimal")

  override def getUTF8String(row: Int): UTF8String = no("getUTF8String")
  override def getBinary(row: Int): Array[Byte] = no("getBinary")
  override def getArray(row: Int): ColumnarArray = no("getArray")
  override def getMap(row: Int): ColumnarMap = no("getMap")
  override def getChild(ordinal: Int): LanceVector = no("getChild")
}

/** Helpers for vectors. */
private[vectors] object LanceVector {

  def selected(values: Array[Int], rows: Array[Int], n: Int): Array[Int] = {
    val out = new Array[Int](n)
    var i = 0
    while (i < n) {
      out(i) = values(rows(i))
      i += 1
    }
    out
  }

  def selected(values: Array[Long], rows: Array[Int], n: Int): Array[Long] = {
    val out = new Array[Long](n)
    var i = 0
    while (i < n) {
      out(i) = values(rows(i))
      i += 1
    }
    out
  }
}
