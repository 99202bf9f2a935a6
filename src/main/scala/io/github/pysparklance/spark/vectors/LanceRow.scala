// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.vectors

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, SpecializedGettersReader}
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

import io.github.pysparklance.spark.shim.VariantRow

/** A mutable row of a batch of vectors. Fixed-size lists with many values, such as embeddings, are
  * copied as a unit. Spark's code for batches copies them value by value.
  *
  * @param vectors the columns of the batch
  */
final class LanceRow private (vectors: Array[LanceVector]) extends VariantRow {
  private var row = -1

  override protected def vector(i: Int): ColumnVector = vectors(i)

  override protected def position: Int = row

  /** Moves to the row at a position of the batch. */
  def moveTo(position: Int): Unit = row = position

  override def numFields: Int = vectors.length
  override def isNullAt(i: Int): Boolean = vectors(i).isNullAt(row)
  override def getBoolean(i: Int): Boolean = vectors(i).getBoolean(row)
  override def getByte(i: Int): Byte = vectors(i).getByte(row)
  override def getShort(i: Int): Short = vectors(i).getShort(row)
  override def getInt(i: Int): Int = vectors(i).getInt(row)
  override def getLong(i: Int): Long = vectors(i).getLong(row)
  override def getFloat(i: Int): Float = vectors(i).getFloat(row)
  override def getDouble(i: Int): Double = vectors(i).getDouble(row)
  override def getDecimal(i: Int, precision: Int, scale: Int): Decimal =
    vectors(i).getDecimal(row, precision, scale)
  override def getUTF8String(i: Int): UTF8String = vectors(i).getUTF8String(row)
  override def getBinary(i: Int): Array[Byte] = vectors(i).getBinary(row)
  override def getInterval(i: Int): CalendarInterval = vectors(i).getInterval(row)
  override def getStruct(i: Int, numFields: Int): InternalRow = vectors(i).getStruct(row)
  override def getArray(i: Int): ArrayData = vectors(i).arrayData(row)
  override def getMap(i: Int): MapData = vectors(i).getMap(row)

  override def get(i: Int, dataType: DataType): AnyRef =
    SpecializedGettersReader.read(this, i, dataType, true, true)

  /** Returns a copy that does not change when this row moves. */
  override def copy(): InternalRow = {
    val values = new Array[Any](vectors.length)
    vectors.indices.foreach { i =>
      values(i) = InternalRow.copyValue(get(i, vectors(i).dataType))
    }
    new GenericInternalRow(values)
  }

  override def setNullAt(i: Int): Unit = throw readOnly
  override def update(i: Int, value: Any): Unit = throw readOnly

  private def readOnly = new UnsupportedOperationException("a row of a scan is read only")
}

/** Creates rows. */
object LanceRow {

  /** Returns a row of the batch. Its position is not set.
    *
    * @param batch a batch whose columns were created by a [[VectorFactory]]
    */
  def apply(batch: ColumnarBatch): LanceRow =
    new LanceRow(Array.tabulate(batch.numCols)(batch.column(_).asInstanceOf[LanceVector]))
}
