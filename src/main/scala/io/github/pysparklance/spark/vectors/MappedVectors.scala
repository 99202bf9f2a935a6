// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.spark.vectors

import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

import io.github.pysparklance.core.Validity

/** A vector whose row i is row `positions(i)` of another vector. Used for dictionaries and selected
  * rows of a batch.
  *
  * @param validity validity of the rows; null if only `base` has nulls. The position of a null row
  *   is not used
  */
final class MappedVector(
    base: LanceVector,
    positions: Array[Int],
    numRows: Int,
    validity: Validity
) extends LanceVector(base.dataType(), numRows, validity) {

  private[this] val baseHasNull = base.hasNull // avoids a call per value for most columns

  override def isNullAt(row: Int): Boolean =
    super.isNullAt(row) || (baseHasNull && base.isNullAt(positions(row)))

  override def hasNull: Boolean = super.hasNull || (baseHasNull && numNulls > 0)

  override def numNulls: Int =
    if (!baseHasNull) super.numNulls
    else {
      var nulls = 0
      var i = 0
      while (i < numRows) {
        if (isNullAt(i)) nulls += 1
        i += 1
      }
      nulls
    }

  override def copyIntegers(rows: Array[Int], n: Int, to: Array[Long]): Boolean =
    base.copyIntegers(
      if (rows == null) positions else LanceVector.selected(positions, rows, n),
      n,
      to
    )

  override def select(rows: Array[Int], n: Int): LanceVector =
    if (super.hasNull) super.select(rows, n)
    else base.select(LanceVector.selected(positions, rows, n), n)

  /** If this is a dictionary, checks each item once instead of each row. */
  override def between(
      min: Long,
      max: Long,
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int =
    if (base.numRows > MappedVector.maxItems) -1
    else {
      val wanted = Array.range(0, base.numRows)
      val numWanted = base.between(min, max, wanted, wanted.length, wanted)
      if (numWanted < 0) -1 else among(wanted, numWanted, live, numLive, found)
    }

  private def among(
      wanted: Array[Int],
      numWanted: Int,
      live: Array[Int],
      numLive: Int,
      found: Array[Int]
  ): Int = {
    val isWanted = new Array[Byte](wanted.length) // 1 or 0, which can be added without a branch
    var w = 0
    while (w < numWanted) {
      isWanted(wanted(w)) = 1
      w += 1
    }
    val hasNulls = super.hasNull
    var n = 0
    var i = 0
    while (i < numLive) {
      val row = live(i)
      found(n) = row
      if (!hasNulls || !super.isNullAt(row)) n += isWanted(positions(row))
      i += 1
    }
    n
  }

  override def getBoolean(row: Int): Boolean = base.getBoolean(positions(row))
  override def getByte(row: Int): Byte = base.getByte(positions(row))
  override def getShort(row: Int): Short = base.getShort(positions(row))
  override def getInt(row: Int): Int = base.getInt(positions(row))
  override def getLong(row: Int): Long = base.getLong(positions(row))
  override def getFloat(row: Int): Float = base.getFloat(positions(row))
  override def getDouble(row: Int): Double = base.getDouble(positions(row))
  override protected def decimalAt(row: Int, precision: Int, scale: Int): Decimal =
    base.getDecimal(positions(row), precision, scale)
  override def getUTF8String(row: Int): UTF8String = base.getUTF8String(positions(row))
  override def getBinary(row: Int): Array[Byte] = base.getBinary(positions(row))
  override def getArray(row: Int): ColumnarArray = base.getArray(positions(row))
  override def arrayData(row: Int): ArrayData = base.arrayData(positions(row))
  override def getMap(row: Int): ColumnarMap = base.getMap(positions(row))
  override def getChild(ordinal: Int): LanceVector =
    new MappedVector(base.getChild(ordinal), positions, numRows, null)
}

private object MappedVector {

  /** Larger dictionaries are not checked item by item for each batch. */
  val maxItems: Int = 4096
}

/** A vector whose valid rows are all row 0 of another vector. */
final private[vectors] class ConstantVector(base: LanceVector, numRows: Int, validity: Validity)
    extends LanceVector(base.dataType(), numRows, validity) {

  override def isNullAt(row: Int): Boolean = super.isNullAt(row) || base.isNullAt(0)
  override def hasNull: Boolean = super.hasNull || base.isNullAt(0)
  override def numNulls: Int = if (base.isNullAt(0)) numRows else super.numNulls

  override def getBoolean(row: Int): Boolean = base.getBoolean(0)
  override def getByte(row: Int): Byte = base.getByte(0)
  override def getShort(row: Int): Short = base.getShort(0)
  override def getInt(row: Int): Int = base.getInt(0)
  override def getLong(row: Int): Long = base.getLong(0)
  override def getFloat(row: Int): Float = base.getFloat(0)
  override def getDouble(row: Int): Double = base.getDouble(0)
  override protected def decimalAt(row: Int, precision: Int, scale: Int): Decimal =
    base.getDecimal(0, precision, scale)
  override def getUTF8String(row: Int): UTF8String = base.getUTF8String(0)
  override def getBinary(row: Int): Array[Byte] = base.getBinary(0)
  override def getArray(row: Int): ColumnarArray = base.getArray(0)
  override def arrayData(row: Int): ArrayData = base.arrayData(0)
  override def getMap(row: Int): ColumnarMap = base.getMap(0)
  override def getChild(ordinal: Int): LanceVector =
    new ConstantVector(base.getChild(ordinal), numRows, null)
}

/** A vector with only nulls. */
final private[vectors] class NullVector(
    dataType: DataType,
    children: Array[LanceVector],
    numRows: Int
) extends LanceVector(dataType, numRows, null) {
  override def isNullAt(row: Int): Boolean = true
  override def hasNull: Boolean = numRows > 0
  override def numNulls: Int = numRows
  override def getChild(ordinal: Int): LanceVector = children(ordinal)
}
