// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

// Hot code.
package io.github.pysparklance.spark.vectors

import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}

import io.github.pysparklance.core.Validity

/** Lists: slot i holds `items[offsets(i), offsets(i + 1))`. */
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

/** Lists of equal length, back to back. */
final private[vectors] class FixedSizeListVector(
    dataType: DataType,
    dimension: Int,
    items: ColumnVector,
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override def getArray(row: Int): ColumnarArray =
    new ColumnarArray(items, row * dimension, dimension)
}

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

/** Structs, whose children have the same slots. */
final private[vectors] class StructVector(
    dataType: DataType,
    children: Array[LanceVector],
    numRows: Int,
    validity: Validity
) extends LanceVector(dataType, numRows, validity) {
  override def getChild(ordinal: Int): LanceVector = children(ordinal)
}
