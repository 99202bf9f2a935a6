// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.vectors

import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.Validity

/** A column of one batch as Spark reads it: wraps the arrays of a decoded column and copies nothing. Valid until the
  * reader's next batch. Each kind of array has its own final class, so that calls stay monomorphic. Hot code.
  *
  * @param numRows slots
  * @param validity which slots are valid; null when all are
  */
abstract class LanceVector(dataType: DataType, val numRows: Int, validity: Validity)
    extends ColumnVector(dataType) {

  private[this] val words: Array[Long] =
    if (validity != null && validity.hasNulls) validity.words else null

  override def isNullAt(row: Int): Boolean =
    words != null && ((words(row >> 6) >>> row) & 1L) == 0L

  override def hasNull: Boolean = words != null

  override def numNulls: Int = if (words == null) 0 else validity.numNulls

  /** Finds values that are integers of up to 64 bits, or decimals by their unscaled ones, and lie between two of them.
    * Each kind of array has its own loop, as one for all of them would call for each value; they shift the values so
    * that `min` is the least of all integers, and one comparison does for both ends.
    *
    * @param max at least `min`
    * @param live positions of the rows in question, ascending
    * @param found takes the positions of those found; may be `live`
    * @return how many were found, without nulls; -1 when the values are not of that kind
    */
  def between(min: Long, max: Long, live: Array[Int], numLive: Int, found: Array[Int]): Int = -1

  /** Copies values that are integers of 32 or 64 bits, dates and timestamps among them.
    *
    * @param rows positions of rows that are not null; null: the first `n` rows
    * @param to takes at least `n`
    * @return false when the values are not of that kind
    */
  def copyIntegers(rows: Array[Int], n: Int, to: Array[Long]): Boolean = false

  /** Some of the rows, ascending. Columns of few bytes a value copy them, as what reads them then knows of one kind of
    * vector and not of two; others look each of them up in this.
    *
    * @param rows at least `n`, valid as long as the answer
    */
  def select(rows: Array[Int], n: Int): LanceVector =
    if (hasNull) new MappedVector(this, rows, n, null) else selectValid(rows, n)

  /** The same of a column without nulls. */
  protected def selectValid(rows: Array[Int], n: Int): LanceVector =
    new MappedVector(this, rows, n, null)

  /** The first `n` positions without those of nulls: answers how many are left. */
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

  /** Bytes of a value in one of Spark's unsafe arrays, for [[copyTo]]; 0: values are not copied that way. */
  def copiedBytes: Int = 0

  /** Copies values as an unsafe array of Spark's has them; anything for those of nulls.
    *
    * @param offset of the first one, as Spark's `Platform` counts it
    */
  def copyTo(row: Int, count: Int, to: Array[Byte], offset: Long): Unit = no("copyTo")

  /** The list in a row; of floats in a list of a fixed size an unsafe array, valid until the next one is asked for. */
  def arrayData(row: Int): ArrayData = getArray(row)

  /** The arrays belong to the reader. */
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
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = no("getDecimal")
  override def getUTF8String(row: Int): UTF8String = no("getUTF8String")
  override def getBinary(row: Int): Array[Byte] = no("getBinary")
  override def getArray(row: Int): ColumnarArray = no("getArray")
  override def getMap(row: Int): ColumnarMap = no("getMap")
  override def getChild(ordinal: Int): LanceVector = no("getChild")
}

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
