// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.spark.vectors

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

import io.github.pysparklance.core.Validity

/** Lists: row i has `items[offsets(i), offsets(i + 1))`. */
final private[vectors] class ListVector(
    dataType: DataType,
    offsets: Array[Int],
    items: ColumnVector,
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override def getArray(row: Int): ColumnarArray = {
    val from = offsets(row)
    new ColumnarArray(items, from, offsets(row + 1) - from)
  }
}

/** Concatenated lists of equal length. */
final private[vectors] class FixedSizeListVector(
    dataType: DataType,
    dimension: Int,
    items: LanceVector,
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  private var copy: UnsafeArrayData = null
  private var copyBytes: Array[Byte] = null
  private var copiedRow = -1

  override def getArray(row: Int): ColumnarArray =
    new ColumnarArray(items, row * dimension, dimension)

  override def arrayData(row: Int): ArrayData =
    if (items.copiedBytes > 0) {
      if (copiedRow != row) copyRow(row)
      copy
    } else getArray(row)

  private def copyRow(row: Int): Unit = {
    if (copy == null) allocate()
    val first = row * dimension
    items.copyTo(first, dimension, copyBytes, Platform.BYTE_ARRAY_OFFSET + header)
    if (items.hasNull) copyNulls(first)
    copiedRow = row
  }

  private def copyNulls(first: Int): Unit = {
    Arrays.fill(copyBytes, java.lang.Long.BYTES, header.toInt, 0: Byte)
    var i = 0
    while (i < dimension) {
      if (items.isNullAt(first + i)) {
        // Spark's writer stores zeros for nulls.
        if (items.copiedBytes == 4) copy.setInt(i, 0) else copy.setLong(i, 0L)
        copy.setNullAt(i)
      }
      i += 1
    }
  }

  private def header: Long = UnsafeArrayData.calculateHeaderPortionInBytes(dimension).toLong

  private def allocate(): Unit = {
    val values = ByteArrayMethods
      .roundNumberOfBytesToNearestWord(dimension.toLong * items.copiedBytes)
    copyBytes = new Array[Byte](Math.toIntExact(header + values))
    Platform.putLong(copyBytes, Platform.BYTE_ARRAY_OFFSET.toLong, dimension.toLong)
    copy = new UnsafeArrayData
    copy.pointTo(copyBytes, Platform.BYTE_ARRAY_OFFSET.toLong, copyBytes.length)
  }
}

/** Maps: keys and values of the entries of a list. */
final private[vectors] class MapVector(
    dataType: DataType,
    offsets: Array[Int],
    keys: ColumnVector,
    values: ColumnVector,
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override def getMap(row: Int): ColumnarMap = {
    val from = offsets(row)
    new ColumnarMap(keys, values, from, offsets(row + 1) - from)
  }
}

/** Structs, whose children have the same rows. */
final private[vectors] class StructVector(
    dataType: DataType,
    children: Array[LanceVector],
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override def getChild(ordinal: Int): LanceVector = children(ordinal)
}
